// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { newFileSeal } from '../crypto/file-keys'
import type { BeamId, DeviceId, ItemId } from '../protocol/bindings'
import { type FileSeal, fileItemMessage, liveItem, pendingItem, storedItemMessage } from '../protocol/item'
import type { Encryption } from '../stores/encryption'
import { type ItemsEvent, reduceItems } from '../stores/items'
import { tabStorage } from '../stores/site-storage'
import { createStores, type Stores } from '../stores/stores'
import type { EngineCommand } from '../transport/engine-messages'
import type { Transfers } from '../transport/transfers'
import type { Context, ItemChannel } from './context'
import { receiveWhatComes } from './receiving'
import { createSharing } from './sharing'
import { createToaster } from './toaster'
import { keepUnsentItems } from './unsent-items'
import { readUnsent } from './unsent-storage'
import { UploadNews } from './upload-news'

const BEAM = '0b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
const OTHER = '1b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
const ID = 'a' as ItemId
const ME = 'me' as DeviceId

let stores: Stores
let context: Context
let sent: unknown[]
let told: EngineCommand[]
let lost: readonly ItemId[]
let heldBack: ItemId[]
let cameClear: ItemId[]
let inClearTo: (readonly DeviceId[] | undefined)[]

/** A page that is loaded. The one before is closed in its beam: what the tab has stored stays. */
function load(): void {
  dispatchEvent(new Event('pagehide'))
  const stored = tabStorage.getItem('unsent')
  ends()
  if (stored !== null) tabStorage.setItem('unsent', stored)
  stores = createStores()
  stores.devices.setState({ me: ME })
  sent = []
  told = []
  lost = []
  heldBack = []
  cameClear = []
  inClearTo = []
  const live = {
    share: (_id, message, _extra, _to, chosen) => {
      sent.push(message)
      inClearTo.push(chosen)
    },
    heldBack: (id: ItemId) => heldBack.push(id),
    cameClear: (id: ItemId) => cameClear.push(id),
  } as Partial<ItemChannel>
  const tell = (command: EngineCommand) => void told.push(command)
  const transfers: Partial<Transfers> = { tell, hold: () => {} }
  const toaster = createToaster(stores.toasts)
  context = { stores, toaster, transfers: transfers as Transfers, live: () => live as ItemChannel }
  keepUnsentItems(context, onLost)
}

/** What still goes on in the page, such as the reading of a file, stores nothing any more. */
function ends(): void {
  stores?.session.setState({ status: 'none' }, true)
}

const onLost = (ids: readonly ItemId[]) => {
  lost = ids
}
const sharing = () =>
  createSharing(context, new UploadNews(stores.transfers, context.toaster), undefined, newFileSeal)
const transfer = () => stores.transfers.getState().transfers[ID]

const enters = async (beamId: BeamId) => {
  const session = { beamId, beamKey: null, beamName: '', expiresAt: null }
  stores.session.setState({ status: 'set', session }, true)
  await Promise.resolve()
}
const happens = (event: ItemsEvent) => stores.items.setState((state) => reduceItems(state, event), true)
const shares = (message: unknown, extra = 'text', id = ID) =>
  happens({ type: 'shared', item: pendingItem(id, message, extra, 0) })
const texts = () => stores.items.getState().items.map(({ message }) => message)

beforeEach(async () => {
  URL.createObjectURL = () => 'blob:a'
  load()
  tabStorage.removeItems('')
  await enters(BEAM)
})

afterEach(() => {
  ends()
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

it('a text that the server does not have is shared again after a reload', async () => {
  shares('hello')
  load()
  await enters(BEAM)
  expect(sent).toEqual(['hello'])
  expect(texts()).toEqual(['hello'])
})

it('e12_what_came_in_clear_text_says_so_where_it_is_shared_again_after_each_reload', async () => {
  happens({ type: 'shared', item: { ...pendingItem(ID, 'hello', 'text', 0), isClear: true } })
  shares('there', 'text', 'b' as ItemId)
  for (const _ of [1, 2]) {
    load()
    await enters(BEAM)
    expect([sent, cameClear]).toEqual([['hello', 'there'], [ID]])
    expect(stores.items.getState().items.map(({ isClear }) => isClear)).toEqual([true, undefined])
  }
})

it('e12_goes_in_clear_text_to_the_devices_that_were_chosen_when_it_was_shared_also_after_each_reload', async () => {
  const choose = (...to: readonly string[]) =>
    stores.clearCopies.setState({ to: new Set(to as DeviceId[]) }, true)
  sharing().shareText('before')
  choose('old')
  sharing().shareText('hello')
  for (const _ of [1, 2]) {
    load()
    choose('old', 'older')
    await enters(BEAM)
    expect([sent, inClearTo]).toEqual([
      ['before', 'hello'],
      [[], ['old']],
    ])
  }
})

it('h28_a_text_that_the_server_does_not_have_is_shared_again_where_the_link_was_renewed_before_the_reload', async () => {
  shares('hello')
  await enters(OTHER)
  load()
  await enters(OTHER)
  expect(sent).toEqual(['hello'])
})

it('a text that the server has, or that was deleted, is not', async () => {
  const here = { id: ID, message: 'hello', extra: 'text', seq: 1, from: ME, at: 0 }
  shares('hello')
  happens({ type: 'received', item: liveItem(here, null) })
  shares('gone', 'text', 'b' as ItemId)
  happens({ type: 'deleted', message: 'gone', id: 'b' as ItemId })
  load()
  await enters(BEAM)
  expect(sent).toEqual([])
})

describe('e11 what the page held back because the beam was closed to it', () => {
  const is = (encryption: Encryption) => stores.encryption.setState(encryption, true)
  const locked = { kind: 'locked', isSuspected: false, mayShareClear: false } as const
  const reloads = async () => {
    load()
    is({ kind: 'unknown', isSuspected: false })
    await enters(BEAM)
  }

  it('is held back after each reload', async () => {
    is({ kind: 'unknown', isSuspected: false })
    shares('hello')
    shares('there', 'text', 'b' as ItemId)
    is(locked)
    await reloads()
    expect(heldBack).toEqual([ID, 'b'])
    await reloads()
    expect([sent, heldBack]).toEqual([
      ['hello', 'there'],
      [ID, 'b'],
    ])
  })

  it('is not any more once it is known how it goes out', async () => {
    is(locked)
    shares('hello')
    is({ kind: 'clear' })
    await reloads()
    expect([sent, heldBack]).toEqual([['hello'], []])
  })
})

it('nothing goes into another beam, and what was not sent to a beam that is left is given up', async () => {
  shares('hello')
  load()
  await enters(OTHER)
  expect(sent).toEqual([])
  load()
  await enters(BEAM)
  shares('hello')
  happens({ type: 'left' })
  load()
  await enters(BEAM)
  expect(sent).toEqual([])
})

describe('a file that the server does not have', () => {
  const file = new File(['abc'], 'a.bin', { lastModified: 7 })
  let message: unknown

  beforeEach(async () => {
    sharing().shareFileAs(ID, file)
    message = sent[0]
    load()
    await enters(BEAM)
  })

  it('is shared again after a reload as it was, and waits for its bytes', () => {
    expect(sent).toEqual([message])
    expect(transfer()).toEqual({ role: 'lost', asks: false, to: {} })
    expect(lost).toEqual([ID])
  })

  it('is offered under its item and its seal once it is chosen again', async () => {
    await sharing().shareAgain([ID], {
      files: [new File(['abcd'], 'a.bin', { lastModified: 7 })],
      folders: [],
    })
    expect(transfer()?.role).toBe('lost')
    await sharing().shareAgain([ID], { files: [file], folders: [] })
    expect(transfer()?.role).toBe('sending')
    const { seal } = (message as { file: { seal: FileSeal } }).file
    expect(told).toEqual([{ do: 'offer', id: ID, file, seal }])
  })

  it('waits for them over a second reload, and when the server has its item', async () => {
    load()
    await enters(BEAM)
    expect(sent).toEqual([message])
    const mine = { id: ID, message, extra: 'file', seq: 1, from: ME, at: 0 }
    happens({ type: 'received', item: liveItem(mine, null) })
    receiveWhatComes(context, onLost)
    expect(transfer()?.role).toBe('lost')
    expect(told).toEqual([])
  })
})

it('a file that is stored before it is shared waits for its bytes too', async () => {
  vi.stubGlobal(
    'XMLHttpRequest',
    class {
      upload = {}
      open() {}
      setRequestHeader() {}
      send() {}
      abort() {}
    },
  )
  sharing().shareFileAs(ID, new File(['abc'], 'a.png', { type: 'image/png' }))
  expect([sent, transfer()?.role]).toEqual([[], 'storing'])
  load()
  await enters(BEAM)
  expect(sent).toHaveLength(1)
  expect(transfer()?.role).toBe('lost')
})

it('a file of another device that was brought back still comes from that device', async () => {
  const { message, extra } = fileItemMessage({ name: 'a.bin', size: 3, type: '' })
  shares(message, extra)
  load()
  await enters(BEAM)
  expect(sent).toEqual([message])
  expect([transfer(), lost]).toEqual([undefined, []])
})

it('a file of which the server has a copy comes from there once the server has its item too', async () => {
  const url = '/api/uploads/0000000000000001'
  const { message, extra } = storedItemMessage({ name: 'a.png', size: 3, type: 'image/png', url })
  shares(message, extra)
  load()
  await enters(BEAM)
  expect(sent).toEqual([message])
  expect(transfer()).toBeUndefined()
})

it('what the storage has in another shape is ignored', async () => {
  tabStorage.setItem('unsent', '{"beam":7}')
  load()
  await enters(BEAM)
  expect(sent).toEqual([])
})

describe('many texts that are shared at once', () => {
  const named = (number: number) => `${number}` as ItemId
  const stored = () => readUnsent(BEAM).map(({ message }) => message)

  it('are stored once, at the end of the task', async () => {
    const setItem = vi.spyOn(tabStorage, 'setItem')
    for (let number = 0; number < 100; number += 1) shares(number, 'text', named(number))
    expect(setItem).not.toHaveBeenCalled()
    await Promise.resolve()
    expect(setItem).toHaveBeenCalledTimes(1)
    expect(stored()).toHaveLength(100)
  })

  it('are stored five times a second at most, and all of them in the end', async () => {
    // The page goes by one clock from its beginning.
    vi.useFakeTimers()
    load()
    await enters(BEAM)
    const setItem = vi.spyOn(tabStorage, 'setItem')
    for (let number = 0; number < 1_000; number += 1) {
      shares(number, 'text', named(number))
      await vi.advanceTimersByTimeAsync(1)
    }
    expect(setItem.mock.calls.length).toBeLessThanOrEqual(6)
    await vi.advanceTimersByTimeAsync(200)
    expect(stored()).toHaveLength(1_000)
  })

  it.each([
    ['is left', () => dispatchEvent(new Event('pagehide'))],
    [
      'is hidden',
      () => {
        vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
        document.dispatchEvent(new Event('visibilitychange'))
      },
    ],
  ])('are stored before the page %s', async (_, ends) => {
    shares('first')
    await Promise.resolve()
    shares('last', 'text', 'b' as ItemId)
    await Promise.resolve()
    expect(stored()).toEqual(['first'])
    ends()
    expect(stored()).toEqual(['first', 'last'])
  })

  it('are given up with their beam, also those that are not stored yet', async () => {
    shares('first')
    await Promise.resolve()
    shares('last', 'text', 'b' as ItemId)
    happens({ type: 'left' })
    await enters(OTHER)
    expect(tabStorage.getItem('unsent')).toBeNull()
    await enters(BEAM)
    expect(sent).toEqual([])
  })

  it('e11_are_held_back_after_a_reload_also_where_the_page_knew_no_more_before_they_were_stored', async () => {
    shares('first')
    await Promise.resolve()
    stores.encryption.setState({ kind: 'locked', isSuspected: false, mayShareClear: false }, true)
    shares('last', 'text', 'b' as ItemId)
    stores.encryption.setState({ kind: 'unknown', isSuspected: false }, true)
    load()
    await enters(BEAM)
    expect(heldBack).toEqual([ID, 'b'])
  })
})
