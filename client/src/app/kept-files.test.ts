import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Chosen, Folder, Place } from '../features/actions'
import type { ItemId } from '../protocol/bindings'
import { fileItemMessage, pendingItem } from '../protocol/item'
import { writeManifest } from '../protocol/manifest'
import { createStores, type Stores } from '../stores/stores'
import { reduceTransfers, type TransfersEvent } from '../stores/transfers'
import type { FileHandles, Found } from '../transport/file-handles'
import { GLANCE_WITHIN_MS } from '../transport/within'
import { KeptFiles, TURN_WITHIN_MS } from './kept-files'
import { type Pack, packFiles, packFolder } from './packing'

const A = 'a' as ItemId
const B = 'b' as ItemId
const file = new File(['abc'], 'a.bin')
const handle = { kind: 'file', name: 'a.bin', getFile: async () => file } as unknown as Place
/** What the person has chosen there. */
const chosen = { files: [file], folders: [] }

let stores: Stores
let found: Record<string, Found<Place> | null | Error>
let answer: readonly Place[] | null
/** The manifest that an earlier page has kept. */
let list: Uint8Array | null
let kept: KeptFiles
const keep = vi.fn(async (_id: ItemId, _file: Blob, _handles: readonly Place[], _list?: Blob) => {})
const forget = vi.fn(async () => {})
/** Offers what it is given, unless the file has changed. */
let hasChanged: boolean
const offer = vi.fn(async (id: ItemId, _found: Chosen, _tells: boolean) => {
  if (!hasChanged) put({ type: 'offering', id, url: 'blob:a' })
})

const put = (event: TransfersEvent) =>
  stores.transfers.setState((state) => reduceTransfers(state, event), true)
const transfer = (id: ItemId) => stores.transfers.getState().transfers[id]

beforeEach(() => {
  vi.clearAllMocks()
  stores = createStores()
  found = {}
  answer = [handle]
  hasChanged = false
  list = null
  const ask = async (id: ItemId) => {
    if (answer)
      found = { [A]: { is: 'readable', handles: [handle] }, [B]: { is: 'readable', handles: [handle] } }
    else found[id] = null
    return answer
  }
  const listOf = async () => (list ? new Uint8Array(list) : null)
  const find = async (id: ItemId) => {
    const there = found[id] ?? null
    if (there instanceof Error) throw there
    return there
  }
  const handles = { keep, forget, ask, listOf, find }
  kept = new KeptFiles(stores, offer, async () => handles as unknown as FileHandles<Place>)
  for (const id of [A, B]) put({ type: 'lost', id, asks: false })
})
afterEach(() => {
  vi.useRealTimers()
})

it('a file is kept with its item, and with where it lies if the browser says so', async () => {
  kept.shared(A, file)
  await vi.waitFor(() => expect(keep).toHaveBeenLastCalledWith(A, file, [], undefined))
  kept.lies(file, handle)
  kept.shared(B, file)
  await vi.waitFor(() => expect(keep).toHaveBeenLastCalledWith(B, file, [handle], undefined))
})

it('what a reload has taken is offered again without a press where it can still be read', async () => {
  found = { [A]: { is: 'readable', handles: [handle] } }
  await kept.lost([A, B])
  expect(offer).toHaveBeenCalledExactlyOnceWith(A, chosen, false)
  expect(transfer(B)).toEqual({ role: 'lost', asks: false, to: {} })
})

it('one press is enough for all files where the browser wants to be asked', async () => {
  found = { [A]: { is: 'asking' }, [B]: { is: 'asking' } }
  await kept.lost([A, B])
  expect(offer).not.toHaveBeenCalled()
  expect([transfer(A), transfer(B)]).toEqual([
    { role: 'lost', asks: true, to: {} },
    { role: 'lost', asks: true, to: {} },
  ])
  await kept.ask(A)
  expect([transfer(A)?.role, transfer(B)?.role]).toEqual(['sending', 'sending'])
})

it('what was found again is kept with where it lies, for the page after this one', async () => {
  found = { [A]: { is: 'readable', handles: [handle] } }
  const read = new File(['abc'], 'a.bin')
  vi.spyOn(handle as FileSystemFileHandle, 'getFile').mockResolvedValueOnce(read)
  await kept.lost([A])
  kept.shared(A, read)
  await vi.waitFor(() => expect(keep).toHaveBeenLastCalledWith(A, read, [handle], undefined))
})

it('a file that is denied, or has changed, must be chosen again', async () => {
  found = { [A]: { is: 'asking' } }
  await kept.lost([A])
  answer = null
  await kept.ask(A)
  expect(transfer(A)).toEqual({ role: 'lost', asks: false, to: {} })

  answer = [handle]
  hasChanged = true
  await kept.ask(A)
  expect(offer).toHaveBeenCalledWith(A, chosen, true)
  expect(transfer(A)).toEqual({ role: 'lost', asks: false, to: {} })
})

it('a file that was chosen or deleted meanwhile is left alone', async () => {
  found = { [A]: { is: 'readable', handles: [handle] }, [B]: { is: 'asking' } }
  put({ type: 'offering', id: A, url: 'blob:b' })
  put({ type: 'forgotten', id: B })
  await kept.lost([A, B])
  expect(offer).not.toHaveBeenCalled()
  expect(transfer(B)).toBeUndefined()
})

it('where a file lies is forgotten with its item, and stays while only the beam is left', async () => {
  await kept.lost([])
  put({ type: 'forgotten', id: A })
  await vi.waitFor(() => expect(forget).toHaveBeenCalledExactlyOnceWith(A))
  put({ type: 'left' })
  await Promise.resolve()
  expect(forget).toHaveBeenCalledOnce()
})

describe('a file that lies where nothing answers', () => {
  /** Gives the file once the disk is awake. */
  let wakes: (() => void)[]
  beforeEach(() => {
    wakes = []
  })
  const getFile = () => new Promise((resolve) => wakes.push(() => resolve(file)))
  const asleep = { kind: 'file', name: 'film.mkv', getFile } as unknown as Place
  const onDisk = { is: 'readable', handles: [handle] } as const
  const onSleepingDisk = { is: 'readable', handles: [asleep] } as const

  it('keeps no other from being offered', async () => {
    found = { [A]: onSleepingDisk, [B]: onDisk }
    void kept.lost([A, B])
    await vi.waitFor(() => expect(transfer(B)?.role).toBe('sending'))
    expect(transfer(A)?.role).toBe('lost')
  })

  it('keeps no other from being offered where there are many of them, and is offered when it comes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const films = Array.from({ length: 8 }, (_, at) => `film${at}` as ItemId)
    for (const id of films) {
      put({ type: 'lost', id, asks: false })
      found[id] = onSleepingDisk
    }
    found[B] = onDisk
    const all = kept.lost([...films, B])
    await vi.waitFor(() => expect(wakes).toHaveLength(4))
    await vi.advanceTimersByTimeAsync(TURN_WITHIN_MS)
    await vi.waitFor(() => expect(wakes).toHaveLength(8))
    await vi.advanceTimersByTimeAsync(TURN_WITHIN_MS)
    await all
    expect(transfer(B)?.role).toBe('sending')
    for (const wake of wakes) wake()
    await vi.waitFor(() => expect(films.map((id) => transfer(id)?.role)).toEqual(Array(8).fill('sending')))
  })

  it('keeps no other from being offered when the person has allowed it', async () => {
    answer = [asleep]
    void kept.ask(A)
    await vi.waitFor(() => expect(transfer(B)?.role).toBe('sending'))
  })

  it('must be chosen again when it does not come after the person has allowed it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    put({ type: 'lost', id: A, asks: true })
    answer = [asleep]
    const asked = kept.ask(A)
    await vi.waitFor(() => expect(wakes).toHaveLength(1))
    await vi.advanceTimersByTimeAsync(GLANCE_WITHIN_MS)
    await asked
    expect(transfer(A)).toEqual({ role: 'lost', asks: false, to: {} })
  })
})

it('a file that cannot be looked for keeps no other from being offered', async () => {
  found = { [A]: new Error('the disk is broken'), [B]: { is: 'readable', handles: [handle] } }
  await kept.lost([A, B]).catch(() => {})
  expect(transfer(B)?.role).toBe('sending')
})

describe('an item that is many files', () => {
  const photos: Folder = { name: 'Photos', files: [{ path: 'Photos/a.bin', file }], folders: [] }
  const values = async function* () {
    yield handle
  }
  const folder = { kind: 'directory', name: 'Photos', values } as unknown as Place
  const packed = async (): Promise<Pack> => {
    const [pack] = await packFolder(photos)
    if (!pack) throw new Error('no pack')
    return pack
  }

  it('f17_is_kept_with_its_manifest_and_with_where_its_folder_lies', async () => {
    kept.lies(photos, folder)
    const { file: pack, manifest } = await packed()
    kept.shared(A, pack)
    await vi.waitFor(() => expect(keep).toHaveBeenLastCalledWith(A, pack, [folder], expect.any(Blob)))
    expect(keep.mock.calls[0]?.[3]?.size).toBe(manifest?.bytes)
  })

  it('f17_is_kept_without_where_it_lies_if_the_browser_says_it_of_a_part_only', async () => {
    kept.lies(file, handle)
    const [pack] = await packFiles([file, new File(['d'], 'd.bin')])
    if (!pack) throw new Error('no pack')
    kept.shared(A, pack.file)
    await vi.waitFor(() => expect(keep).toHaveBeenLastCalledWith(A, pack.file, [], expect.any(Blob)))
  })

  it('f17_shows_its_list_again_after_a_reload_and_is_found_in_its_folder', async () => {
    const files = [{ path: 'Photos/a.bin', size: 3, type: '', modified: 7 }]
    list = writeManifest(files)
    const manifest = { files: 1, bytes: list.byteLength, folder: true }
    const facts = { name: 'Photos', size: list.byteLength + 3, type: '', manifest }
    const { message, extra } = fileItemMessage(facts)
    stores.items.setState({ ...stores.items.getState(), items: [pendingItem(A, message, extra, 0)] }, true)
    found = { [A]: { is: 'readable', handles: [folder] } }
    await kept.lost([A])
    expect(stores.packs.getState().lists[A]).toMatchObject({ files })
    expect(offer).toHaveBeenCalledExactlyOnceWith(A, { files: [], folders: [photos] }, false)
  })
})
