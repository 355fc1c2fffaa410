// @vitest-environment jsdom
import { cleanup, render } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { DeviceId, ItemId } from '../../protocol/bindings'
import { fileItemMessage, type Item, liveItem, pendingItem, storedItemMessage } from '../../protocol/item'
import { cardsOf, isBatch } from '../../stores/cards'
import { createStores, type Stores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { BatchNotice, ItemNotice } from './item-notice'

const ME = 'me' as DeviceId
const PHONE = 'phone' as DeviceId
const file = { name: 'a.png', size: 4, type: 'image/png' }
const shared = ({ message, extra }: { message: unknown; extra: string }, from: DeviceId): Item =>
  liveItem({ id: 'i' as ItemId, seq: 1, from, at: 0, message, extra }, { mine: false })

let stores: Stores

beforeEach(() => {
  stores = createStores()
  stores.devices.setState({ me: ME, names: { [PHONE]: 'Safari on iPhone' } })
  const saved = { beam_name: 'Cabin', role: 'write', link_access: 'write', by_link: false } as const
  stores.access.setState({ kind: 'saved', saved }, true)
})
afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

const said = (item: Item) =>
  render(
    <AppContext value={{ stores, actions: {} as Actions }}>
      <ItemNotice item={item} />
    </AppContext>,
  ).container.textContent

it('shows why the server refused an item', () => {
  const item = {
    ...pendingItem('i' as ItemId, 'hello', 'text', 0),
    refusal: 'You may only read in this beam.',
  }
  expect(said(item)).toBe('Not shared: You may only read in this beam.')
})

it.each([
  [ME, 'Only on this device. This beam has no copy.'],
  [PHONE, 'Only on Safari on iPhone. This beam has no copy.'],
])('p27_says_where_a_file_lives_that_a_saved_beam_has_no_copy_of (%s)', (from, text) => {
  expect(said(shared(fileItemMessage(file), from))).toBe(text)
})

it('names no single device for a file that a reload lost here, or that was received here too', () => {
  const id = 'i' as ItemId
  stores.transfers.setState({ transfers: { [id]: { role: 'lost', asks: false, to: {} } } })
  expect(said(shared(fileItemMessage(file), ME))).toBe('This beam has no copy.')
})

it('shows nothing for a stored file, nor in an unsaved beam', () => {
  const stored = storedItemMessage({ ...file, url: '/api/uploads/0123456789abcdef' })
  expect(said(shared(stored, ME))).toBe('')
  stores.access.setState({ kind: 'unsaved', creator: true }, true)
  expect(said(shared(fileItemMessage(file), ME))).toBe('')
})

describe('an item that the server does not have yet', () => {
  const hello = pendingItem('i' as ItemId, 'hello', 'text', 0)
  const waits = 'Not sent yet. It goes out once you are connected.'

  it('says that it waits while there is no connection, and nothing while it is on its way', () => {
    stores.connection.setState({ status: 'reconnecting', attempt: 1, of: 20 }, true)
    expect(said(hello)).toBe(waits)
    cleanup()
    stores.connection.setState({ status: 'live' }, true)
    expect(said(hello)).toBe('')
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
    cleanup()
    expect(said(hello)).toBe(waits)
  })

  it('may be a change of one that the server has', () => {
    stores.access.setState({ kind: 'unsaved', creator: true }, true)
    stores.connection.setState({ status: 'reconnecting', attempt: 1, of: 20 }, true)
    const change = shared({ message: 'hello there', extra: 'text' }, ME)
    expect(said({ ...change, isChanged: true })).toBe(waits)
  })

  it('promises nothing in a beam that is closed for good', () => {
    stores.connection.setState({ status: 'stopped', why: 'ended' }, true)
    expect(said(hello)).toBe('')
  })

  it('is not one that the server had before the connection was lost', () => {
    stores.access.setState({ kind: 'unsaved', creator: true }, true)
    stores.connection.setState({ status: 'reconnecting', attempt: 1, of: 20 }, true)
    expect(said(shared({ message: 'hello', extra: 'text' }, ME))).toBe('')
  })
})

describe('an item for one device', () => {
  const sent = (from: DeviceId, to: DeviceId): Item => ({
    ...shared({ message: 'hi', extra: 'text' }, from),
    to,
  })
  const listed = (...ids: DeviceId[]) =>
    stores.devices.setState({ devices: ids.map((device_id) => ({ device_id, name: '', caps: [] })) })

  beforeEach(() => {
    stores.access.setState({ kind: 'unsaved', creator: true }, true)
    listed(ME, PHONE)
  })

  it('s33_names_its_device_at_the_sender_and_says_so_at_the_device', () => {
    expect(said(sent(ME, PHONE))).toBe('Only for Safari on iPhone.')
    cleanup()
    expect(said(sent(PHONE, ME))).toBe('Only for you.')
  })

  it('s33_says_when_that_device_is_away_or_was_removed', () => {
    listed(ME)
    expect(said(sent(ME, PHONE))).toBe('Only for Safari on iPhone, which is not here now.')
    cleanup()
    stores.devices.setState({ removed: new Set([PHONE]) })
    expect(said(sent(ME, PHONE))).toBe('Only for Safari on iPhone, which was removed from this beam.')
  })

  it('s33_says_that_a_saved_beam_does_not_store_it', () => {
    const saved = { beam_name: 'Cabin', role: 'write', link_access: 'write', by_link: false } as const
    stores.access.setState({ kind: 'saved', saved }, true)
    expect(said(sent(PHONE, ME))).toBe('Only for you. Not stored in this beam.')
  })
  it('s33_names_it_for_a_batch_of_files_as_well', () => {
    const batch = (index: number) => ({
      id: '5b1f4a52-7d0e-4c3b-9a41-2f6d8e0c7b13' as ItemId,
      count: 2,
      index,
    })
    const files = [0, 1].map((index): Item => {
      const message = fileItemMessage({ ...file, batch: batch(index) })
      return { ...shared(message, ME), id: `${index}` as ItemId, to: PHONE }
    })
    const [card] = cardsOf(files)
    if (!card || !isBatch(card)) throw new Error('no batch')
    const { container } = render(
      <AppContext value={{ stores, actions: {} as Actions }}>
        <BatchNotice batch={card} />
      </AppContext>,
    )
    expect(container.textContent).toBe('Only for Safari on iPhone.')
  })
})

describe('e12 an item in clear text', () => {
  const clear: Item = { ...shared({ message: 'hi', extra: 'text' }, PHONE), isClear: true }
  const mark = 'Not encrypted. The server can read this, and could have written it itself.'

  it('is marked in a sealed beam, where the server could pass its own text off as sealed', () => {
    stores.encryption.setState({ kind: 'sealed', isDeposited: false }, true)
    expect(said(clear)).toBe(mark)
    expect(said(shared({ message: 'hi', extra: 'text' }, PHONE))).toBe('')
  })

  it.each([{ kind: 'clear' }, { kind: 'off' }] as const)(
    'is like any other where nothing is sealed: $kind',
    (encryption) => {
      stores.encryption.setState(encryption, true)
      expect(said(clear)).toBe('')
    },
  )
})
