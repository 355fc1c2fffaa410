import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { newFileSeal } from '../crypto/file-keys'
import { AUTO_RECEIVE_BYTES, type BeamId, type DeviceId, type ItemId } from '../protocol/bindings'
import { type FileFacts, fileItemMessage, liveItem, storedItemMessage } from '../protocol/item'
import { downloadsOf } from '../stores/downloads'
import { tabStorage } from '../stores/site-storage'
import { createStores, type Stores } from '../stores/stores'
import { putTransfers, reduceTransfers } from '../stores/transfers'
import type { EngineCommand } from '../transport/engine-messages'
import type { Transfers } from '../transport/transfers'
import type { Context } from './context'
import { askedFiles } from './marked-files'
import { createReceiving, receiveWhatComes } from './receiving'
import { createToaster } from './toaster'

const A = 'a' as ItemId
const ME = 'me' as DeviceId
const URL = '/api/uploads/0000000000000001'
const SEAL = newFileSeal()

let stores: Stores
let context: Context
let told: EngineCommand[]
let lost: readonly ItemId[]

beforeEach(() => {
  stores = createStores()
  told = []
  lost = []
  const tell = (command: EngineCommand) => void told.push(command)
  const transfers = { tell } as Partial<Transfers> as Transfers
  context = { stores, transfers, toaster: createToaster(stores.toasts), live: () => null }
  const session = { beamId: 'beam' as BeamId, beamKey: null, beamName: '', expiresAt: null }
  stores.session.setState({ status: 'set', session }, true)
  stores.devices.setState({ me: ME })
})

/** The beam has one file, of which the server has a copy. */
function isThere(file: Partial<FileFacts>, from = 'ada' as DeviceId): void {
  const message = storedItemMessage({ name: 'a.png', size: 99, type: 'image/png', ...file, url: URL })
  const item = liveItem({ id: A, seq: 1, from, at: 0, ...message }, null)
  stores.items.setState({ items: [item], epoch: 'e' })
  receiveWhatComes(context, (ids) => {
    lost = ids
  })
}

it('a copy that is not sealed is read by the browser itself', () => {
  isThere({})
  expect(told).toEqual([])
  expect(downloadsOf([A], stores)).toMatchObject([{ url: URL }])
})

it('e7_a_small_picture_of_which_there_is_a_sealed_copy_is_received_to_be_shown', () => {
  isThere({ seal: SEAL })
  expect(told).toMatchObject([{ do: 'receive', file: { id: A, url: URL, seal: SEAL, size: 99 } }])
})

it.each([
  ['a large one', { size: AUTO_RECEIVE_BYTES + 1 }],
  ['any other file', { name: 'a.zip', type: 'application/zip' }],
])('e7_%s_waits_for_a_tap_unless_it_was_received_before', (_, file) => {
  isThere({ ...file, seal: SEAL })
  expect(told).toMatchObject([{ do: 'look', file: { id: A, url: URL, seal: SEAL } }])
})

it('f18_a_small_picture_that_an_earlier_page_has_paused_is_received_when_its_person_goes_on', () => {
  tabStorage.setItem(`paused ${A}`, '')
  isThere({ seal: SEAL })
  expect(told).toMatchObject([
    { do: 'receive', file: { id: A } },
    { do: 'pause', id: A, device: null },
  ])
  const state = { status: 'paused', received: 0, by: 'me' }
  expect(stores.transfers.getState().transfers[A]).toEqual({ role: 'receiving', state })
  tabStorage.removeItem(`paused ${A}`)
})

it('e7_the_own_file_comes_back_from_its_sealed_copy_after_a_reload', () => {
  isThere({ seal: SEAL }, ME)
  expect(told).toMatchObject([{ do: 'receive', file: { from: ME, url: URL } }])
  expect(lost).toEqual([])
})

it('e7_a_file_that_comes_learns_of_its_sealed_copy', () => {
  const state = { status: 'queued', received: 0 } as const
  stores.transfers.setState((old) => reduceTransfers(old, { type: 'receiving', id: A, state }), true)
  isThere({ seal: SEAL })
  expect(told).toEqual([{ do: 'stored', id: A, url: URL }])
})

it('e7_the_address_of_a_sealed_copy_is_never_that_of_the_file', () => {
  isThere({ seal: SEAL })
  expect(downloadsOf([A], stores)).toEqual([])
  const state = { status: 'done', url: 'blob:a', way: null, isKept: true } as const
  stores.transfers.setState((old) => reduceTransfers(old, { type: 'receiving', id: A, state }), true)
  expect(downloadsOf([A], stores)).toMatchObject([{ url: 'blob:a' }])
})

describe('a file that is to be saved where the person picks', () => {
  const remove = vi.fn(async () => {})
  const picked = { getFile: async () => new Blob(), remove } as unknown as FileSystemFileHandle

  /** What happens while the picker is open. */
  async function saveAs(meanwhile: () => void): Promise<void> {
    isThere({ name: 'a.zip', type: 'application/zip', seal: SEAL })
    askedFiles.note(A)
    told = []
    vi.stubGlobal('showSaveFilePicker', async () => {
      meanwhile()
      return picked
    })
    await createReceiving(context).saveAs(A)
  }
  afterEach(() => {
    vi.unstubAllGlobals()
    remove.mockClear()
    askedFiles.forget(A)
  })

  it('is received there', async () => {
    await saveAs(() => {})
    expect(told).toMatchObject([{ do: 'receive', file: { id: A }, picked }])
    // A later page has no access to the place.
    expect(askedFiles.has(A)).toBe(false)
    expect(remove).not.toHaveBeenCalled()
  })

  it('f10_is_not_received_where_its_item_went_while_the_picker_was_open, and leaves no empty file', async () => {
    await saveAs(() => stores.items.setState({ items: [] }))
    expect(told).toEqual([])
    expect(remove).toHaveBeenCalledOnce()
  })
})

describe('a beam of many files', () => {
  const ids = ['a', 'b', 'c'] as ItemId[]
  const changed = vi.fn()
  beforeEach(() => {
    const items = ids.map((id, i) => {
      const message = fileItemMessage({ name: 'x', size: 99, type: i === 1 ? 'image/png' : '' })
      return liveItem({ id, seq: i, from: 'ada' as DeviceId, at: 0, ...message }, null)
    })
    stores.items.setState({ items, epoch: 'e' })
    changed.mockClear()
    stores.transfers.subscribe(changed)
  })

  it('is shown in one change of the list when it opens, before the engine is told of any', () => {
    context.transfers.tell = (command) => {
      expect(changed).toHaveBeenCalledOnce()
      told.push(command)
    }
    receiveWhatComes(context, () => {})
    expect(told).toMatchObject(ids.map((id, i) => ({ do: i === 1 ? 'receive' : 'look', file: { id } })))
    expect(changed).toHaveBeenCalledOnce()
  })

  it('is received after a reload as far as it was asked for before, and paused as far as it was paused', () => {
    tabStorage.setItem('paused c', '')
    receiveWhatComes(context, () => {})
    const receiving = createReceiving(context)
    for (const id of ['a', 'c'] as ItemId[]) receiving.receive(id)
    told = []
    // The page after a reload.
    stores.transfers.setState((state) => reduceTransfers(state, { type: 'left' }), true)
    receiveWhatComes(context, () => {})
    const receives = ids.map((id) => ({ do: 'receive', file: { id } }))
    expect(told).toMatchObject([...receives, { do: 'pause', id: 'c', device: null }])
    for (const key of ['asked a', 'asked c', 'paused c']) tabStorage.removeItem(key)
  })

  it('is received in one change of the list', () => {
    const events = ids.map((id) => ({ type: 'receiving', id, state: { status: 'offered' } }) as const)
    stores.transfers.setState((state) => putTransfers(state, events), true)
    changed.mockClear()
    createReceiving(context).receiveAll()
    expect(ids.filter((id) => askedFiles.has(id))).toEqual(ids)
    for (const id of ids) askedFiles.forget(id)
    expect(told).toMatchObject(ids.map((id) => ({ do: 'receive', file: { id } })))
    expect(changed).toHaveBeenCalledOnce()
  })
})
