// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { BeamId, DeviceId, ItemId, LiveItem } from '../protocol/bindings'
import { fileItemMessage, isUnsent, liveItem, pendingItem, storedItemMessage } from '../protocol/item'
import { EMPTY_ROOT, richNoteMessage, withText } from '../protocol/rich-note'
import type { Encryption } from '../stores/encryption'
import { type ItemsEvent, reduceItems } from '../stores/items'
import { tabStorage } from '../stores/site-storage'
import { createStores, type Stores } from '../stores/stores'
import type { ItemChannel } from './context'
import { keepUnsentItems } from './unsent-items'
import { readUnsent } from './unsent-storage'

const BEAM = '0b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
const OTHER = '1b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
const ID = 'a' as ItemId
const PHONE = 'phone' as DeviceId

let stores: Stores
let channel: ItemChannel | null
let sent: { id: ItemId; message: unknown; to: DeviceId | undefined }[]
let heldBack: ItemId[]
let cameClear: ItemId[]

/** A page that is loaded. The one before is closed in its beam: what the tab has stored stays. */
function load(): void {
  dispatchEvent(new Event('pagehide'))
  const stored = tabStorage.getItem('unsent')
  ends()
  if (stored !== null) tabStorage.setItem('unsent', stored)
  stores = createStores()
  sent = []
  heldBack = []
  cameClear = []
  channel = null
  keepUnsentItems({ stores, live: () => channel }, () => {})
}

function ends(): void {
  channel = null
  stores?.session.setState({ status: 'none' }, true)
}

const opens = (beamId: BeamId) => {
  const session = { beamId, beamKey: null, beamName: '', expiresAt: null }
  stores.session.setState({ status: 'set', session }, true)
}
const enters = async (beam: BeamId) => {
  channel = null
  opens(beam)
  channel = {
    share: (id, message, _extra, to) => sent.push({ id, message, to }),
    heldBack: (id: ItemId) => heldBack.push(id),
    cameClear: (id: ItemId) => cameClear.push(id),
  } as Partial<ItemChannel> as ItemChannel
  await Promise.resolve()
}
const reloads = async () => {
  load()
  await enters(BEAM)
}
const is = (encryption: Encryption) => stores.encryption.setState(encryption, true)
const happens = async (event: ItemsEvent) => {
  stores.items.setState((state) => reduceItems(state, event), true)
  await Promise.resolve()
}
const version = (seq: number, message: unknown, extra = 'text', to?: DeviceId) => {
  const live: LiveItem = { id: ID, seq, from: PHONE, at: 1, message, extra, ...(to && { to }) }
  return liveItem(live, null)
}
/** What the server has, after every connect. */
const syncs = (...items: readonly ReturnType<typeof version>[]) =>
  happens({ type: 'synced', epoch: 'e', oldest: 1, saved: false, items })
const changes = (message: unknown, extra = 'text') =>
  happens({ type: 'shared', item: pendingItem(ID, message, extra, 0) })
const items = () => stores.items.getState().items
const texts = () => items().map(({ message }) => message)

beforeEach(async () => {
  tabStorage.removeItems('')
  await reloads()
})
afterEach(ends)

describe('a change of an item that was not sent before a reload', () => {
  beforeEach(async () => {
    await syncs(version(1, 'hello'))
    await changes('hello there')
    await reloads()
  })

  it('is shared again once the page knows that the item is as it was', async () => {
    expect(sent).toEqual([])
    await syncs(version(1, 'hello'))
    expect(sent).toMatchObject([{ id: ID, message: 'hello there' }])
    expect(texts()).toEqual(['hello there'])
    expect(items().map(isUnsent)).toEqual([true])
    await syncs(version(1, 'hello there'))
    expect(sent).toHaveLength(1)
  })

  it('waits over another reload, and goes out over a third one where it was not sent then either', async () => {
    await reloads()
    await syncs(version(1, 'hello'))
    await reloads()
    await syncs(version(1, 'hello'))
    expect(sent).toMatchObject([{ id: ID, message: 'hello there' }])
  })

  it('is not lost by what is shared meanwhile', async () => {
    await happens({ type: 'shared', item: pendingItem('b' as ItemId, 'other', 'text', 0) })
    dispatchEvent(new Event('pagehide'))
    expect(readUnsent(BEAM).map(({ message }) => message)).toEqual(['other', 'hello there'])
  })

  it('stands beside the item where another device has changed that', async () => {
    await syncs(version(2, 'theirs'))
    expect(sent).toMatchObject([{ message: 'hello there' }])
    expect(sent[0]?.id).not.toBe(ID)
    expect(texts()).toEqual(['theirs', 'hello there'])
  })

  it('is an item of its own where another device has deleted that', async () => {
    await syncs()
    expect(sent).toMatchObject([{ message: 'hello there' }])
    expect(sent[0]?.id).not.toBe(ID)
  })

  it('is over where the server was told after all', async () => {
    await syncs(version(2, 'hello there'))
    dispatchEvent(new Event('pagehide'))
    expect([sent, readUnsent(BEAM)]).toEqual([[], []])
  })

  it('does not replace what is written on this page', async () => {
    stores.items.setState((state) =>
      [
        { type: 'synced', epoch: 'e', oldest: 1, saved: false, items: [version(1, 'hello')] } as const,
        { type: 'shared', item: pendingItem(ID, 'hello again', 'text', 0) } as const,
      ].reduce(reduceItems, state),
    )
    await Promise.resolve()
    expect(texts()).toEqual(['hello again', 'hello there'])
  })

  it('would be lost if its beam were left now, as long as it waits', async () => {
    expect(stores.waitingEdits.getState()).toEqual({ count: 1 })
    await syncs(version(1, 'hello'))
    expect(stores.waitingEdits.getState()).toEqual({ count: 0 })
  })

  it.each([
    ['for none', () => ends()],
    [
      'for another one',
      async () => {
        stores.session.setState({ status: 'creating' }, true)
        await enters(OTHER)
      },
    ],
  ])('is given up when its beam is left %s', async (_, leaves) => {
    await leaves()
    expect([readUnsent(BEAM), stores.waitingEdits.getState()]).toEqual([[], { count: 0 }])
    await enters(BEAM)
    await syncs(version(1, 'hello'))
    expect(sent).toEqual([])
  })

  it('is there again after a reload where another beam could not be made', async () => {
    stores.session.setState({ status: 'creating' }, true)
    stores.session.setState({ status: 'failed' }, true)
    await reloads()
    await syncs(version(1, 'hello'))
    expect(sent).toMatchObject([{ id: ID, message: 'hello there' }])
  })

  it('goes into no other beam', async () => {
    await enters(OTHER)
    await syncs()
    expect(sent).toEqual([])
  })

  it('is not stored for another beam, also where the page stays out of that', async () => {
    channel = null
    opens(OTHER)
    await happens({ type: 'shared', item: pendingItem('b' as ItemId, 'other', 'text', 0) })
    dispatchEvent(new Event('pagehide'))
    expect(readUnsent(OTHER).map(({ message }) => message)).toEqual(['other'])
  })

  it('h28_goes_into_the_beam_under_its_new_id', async () => {
    opens(OTHER)
    await syncs(version(1, 'hello'))
    expect(sent).toMatchObject([{ id: ID, message: 'hello there' }])
  })

  it('waits for the keys where the item cannot be opened yet', async () => {
    is({ kind: 'unknown', isSuspected: true })
    await syncs()
    expect(sent).toEqual([])
    is({ kind: 'sealed', isDeposited: false })
    await Promise.resolve()
    expect(sent).toEqual([])
    await syncs(version(1, 'hello'))
    expect(sent).toMatchObject([{ id: ID, message: 'hello there' }])
  })
})

it('a change of an item that is gone goes out once it is known that nothing is sealed', async () => {
  await syncs(version(1, 'hello'))
  await changes('hello there')
  await reloads()
  is({ kind: 'unknown', isSuspected: false })
  await syncs()
  expect(sent).toEqual([])
  is({ kind: 'clear' })
  await Promise.resolve()
  expect(sent).toMatchObject([{ message: 'hello there' }])
})

it('e11_a_change_that_was_held_back_stands_beside_the_item_and_is_held_back_again', async () => {
  await syncs(version(1, 'hello'))
  is({ kind: 'locked', isSuspected: false, mayShareClear: false })
  await changes('hello there')
  await reloads()
  expect(sent).toMatchObject([{ message: 'hello there' }])
  expect(sent[0]?.id).not.toBe(ID)
  expect(heldBack).toEqual(sent.map(({ id }) => id))
})

it('e12_a_change_keeps_its_mark_and_its_one_reader_beside_the_item', async () => {
  await syncs({ ...version(1, 'hello', 'text', PHONE), isClear: true })
  await happens({ type: 'shared', item: { ...pendingItem(ID, 'mine', 'text', 0), isClear: true } })
  await reloads()
  await syncs(version(2, 'theirs', 'text', PHONE))
  expect(sent).toMatchObject([{ message: 'mine', to: PHONE }])
  expect(cameClear).toEqual(sent.map(({ id }) => id))
})

it('a change of what came for this device alone goes back to the device that sent it', async () => {
  const me = 'me' as DeviceId
  stores.devices.setState((state) => ({ ...state, me }))
  await syncs(version(1, 'hello', 'text', me))
  await changes('mine')
  await reloads()
  stores.devices.setState((state) => ({ ...state, me: 'me again' as DeviceId }))
  await syncs(version(1, 'hello', 'text', me))
  expect(sent).toMatchObject([{ message: 'mine', to: PHONE }])
})

it('a note that stands beside another version says in its title that it is a copy', async () => {
  const note = (text: string) => richNoteMessage('Packing', withText(EMPTY_ROOT, text))
  await syncs(version(1, note('ours').message, note('').extra))
  await changes(note('mine').message, note('').extra)
  await reloads()
  await syncs(version(2, note('theirs').message, note('').extra))
  expect(items().map(({ content }) => content)).toMatchObject([
    { title: 'Packing' },
    { title: 'Packing (copy)' },
  ])
})

it('a file whose copy was stored meanwhile does not come twice', async () => {
  const file = { name: 'a.png', size: 3, type: 'image/png' }
  const [offered, stored] = [
    fileItemMessage(file),
    storedItemMessage({ ...file, url: '/api/uploads/0000000000000001' }),
  ]
  await syncs(version(1, offered.message, offered.extra))
  await changes(stored.message, stored.extra)
  await reloads()
  await syncs()
  expect(sent).toEqual([])
})
