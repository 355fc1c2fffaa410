import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ItemId } from '../protocol/bindings'
import { fileItemMessage, pendingItem } from '../protocol/item'
import { DIRECT } from '../protocol/way'
import { reduceItems } from '../stores/items'
import { createStores, type Stores } from '../stores/stores'
import { reduceTransfers } from '../stores/transfers'
import { createBlobUrl } from './blob-urls'
import { packFiles } from './packing'
import { learnPacks } from './packs'
import { createPackSaving } from './saving-packs'
import { createToaster } from './toaster'

const ID = 'pack' as ItemId
const FILES = Array.from({ length: 300 }, (_, at) => new File([`text ${at}`], `${at}.txt`))

let stores: Stores
/** What is in the picked folder, by path. */
let disk: Map<string, string>
/** Called before a file is made there. Throws what the disk says. */
let onMake: (path: string) => void
/** Called when a file is made there. */
let onMade: (path: string) => void
const toasts = () => stores.toasts.getState().toasts.map(({ text }) => text)
const list = () => stores.packs.getState().lists[ID]

function fakeFolder(at = ''): object {
  return {
    getDirectoryHandle: async (name: string) => fakeFolder(`${at}${name}/`),
    removeEntry: async (name: string) => void disk.delete(at + name),
    async getFileHandle(name: string, { create = false } = {}) {
      const path = at + name
      if (!create && !disk.has(path)) throw new DOMException('', 'NotFoundError')
      if (create) {
        onMake(path)
        disk.set(path, '')
        onMade(path)
      }
      const write = (bytes: Uint8Array) =>
        void disk.set(path, disk.get(path) + new TextDecoder().decode(bytes))
      return { createWritable: async () => new WritableStream<Uint8Array>({ write }) }
    },
  }
}

/** Shares files from here, as if all of them had been received. */
function receives(file: File, manifest: { files: number; bytes: number } | undefined) {
  const { message, extra } = fileItemMessage({ name: file.name, size: file.size, type: '', manifest })
  const item = pendingItem(ID, message, extra, 0)
  stores.items.setState((state) => reduceItems(state, { type: 'shared', item }), true)
  const state = { status: 'done', url: createBlobUrl(file), way: DIRECT, isKept: true } as const
  stores.transfers.setState((all) => reduceTransfers(all, { type: 'receiving', id: ID, state }), true)
}

beforeEach(() => {
  stores = createStores()
  disk = new Map([['7.txt', 'mine']])
  onMake = () => {}
  onMade = () => {}
  learnPacks(stores)
  vi.stubGlobal('showDirectoryPicker', async () => fakeFolder())
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

describe('an item that is many files', () => {
  it('f16_is_saved_into_a_folder_file_by_file_and_what_is_there_stays', async () => {
    const [pack] = await packFiles(FILES)
    if (!pack) throw new Error('no pack')
    receives(pack.file, pack.manifest)
    await vi.waitFor(() => expect(list()).toHaveLength(300))
    const saving = createPackSaving({ stores, toaster: createToaster(stores.toasts) })
    expect(saving.saveAll(ID)).toBe(true)
    await vi.waitFor(() => expect(toasts()).toEqual(['Saved 300 files']))
    expect(disk.size).toBe(301)
    expect([disk.get('7.txt'), disk.get('7 (2).txt'), disk.get('299.txt')]).toEqual([
      'mine',
      'text 7',
      'text 299',
    ])
    expect(stores.saves.getState().saves).toEqual({})
  })

  it('f16_stops_saving_when_the_person_says_so_and_leaves_no_part_of_a_file', async () => {
    const [pack] = await packFiles(FILES)
    if (!pack) throw new Error('no pack')
    receives(pack.file, pack.manifest)
    await vi.waitFor(() => expect(list()).toHaveLength(300))
    const saving = createPackSaving({ stores, toaster: createToaster(stores.toasts) })
    onMade = (path) => path === '5.txt' && saving.stopSaving(ID)
    saving.saveAll(ID)
    await vi.waitFor(() => expect(disk.has('4.txt')).toBe(true))
    await vi.waitFor(() => expect(stores.saves.getState().saves).toEqual({}))
    expect([...disk.keys()]).toEqual(['7.txt', ...['0', '1', '2', '3', '4'].map((name) => `${name}.txt`)])
    expect([...disk.values()].filter((text) => text === '')).toEqual([])
    expect(toasts()).toEqual([])
  })

  it('f16_saves_the_others_where_the_disk_refuses_one_and_says_which', async () => {
    const [pack] = await packFiles(FILES)
    if (!pack) throw new Error('no pack')
    receives(pack.file, pack.manifest)
    await vi.waitFor(() => expect(list()).toHaveLength(300))
    onMake = (path) => {
      if (path === '5.txt') throw new TypeError('Name is not allowed.')
    }
    createPackSaving({ stores, toaster: createToaster(stores.toasts) }).saveAll(ID)
    await vi.waitFor(() => expect(toasts()).toEqual(['Saved 299 of 300 files. “5.txt” could not be saved.']))
    expect([disk.get('4.txt'), disk.get('5.txt'), disk.get('6.txt')]).toEqual(['text 4', undefined, 'text 6'])
    expect(disk.get('299.txt')).toBe('text 299')
  })

  it.each(['NotAllowedError', 'QuotaExceededError'])(
    'f16_is_not_saved_on_after_%s_which_every_other_file_would_meet_as_well',
    async (name) => {
      const [pack] = await packFiles(FILES)
      if (!pack) throw new Error('no pack')
      receives(pack.file, pack.manifest)
      await vi.waitFor(() => expect(list()).toHaveLength(300))
      const tried: string[] = []
      onMake = (path) => {
        tried.push(path)
        if (path === '5.txt') throw new DOMException('', name)
      }
      createPackSaving({ stores, toaster: createToaster(stores.toasts) }).saveAll(ID)
      await vi.waitFor(() => expect(toasts()).toEqual(['Saved 5 of 300 files. “5.txt” could not be saved.']))
      expect(tried).toHaveLength(6)
    },
  )

  it('f16_says_nothing_when_an_archive_is_cancelled_whatever_error_the_browser_makes_of_it', async () => {
    vi.stubGlobal('showDirectoryPicker', undefined)
    Reflect.deleteProperty(globalThis, 'showDirectoryPicker')
    const [pack] = await packFiles(FILES)
    if (!pack) throw new Error('no pack')
    receives(pack.file, pack.manifest)
    await vi.waitFor(() => expect(list()).toHaveLength(300))
    const saving = createPackSaving({ stores, toaster: createToaster(stores.toasts) })
    // Chromium says of a stream that was aborted: TypeError, Failed to fetch.
    vi.spyOn(Response.prototype, 'blob').mockImplementation(() => {
      saving.stopSaving(ID)
      return Promise.reject(new TypeError('Failed to fetch'))
    })
    saving.saveAll(ID)
    await vi.waitFor(() => expect(Response.prototype.blob).toHaveBeenCalled())
    await vi.waitFor(() => expect(stores.saves.getState().saves).toEqual({}))
    expect(toasts()).toEqual([])
  })

  it('f16_with_a_list_that_lies_is_one_file', async () => {
    const lie = '{"files":[{"path":"../a","size":1,"type":"","modified":0}]}'
    receives(new File([lie, 'x'], 'evil'), { files: 1, bytes: lie.length })
    await vi.waitFor(() => expect(list()).toBe('unreadable'))
    const saving = createPackSaving({ stores, toaster: createToaster(stores.toasts) })
    expect(saving.saveAll(ID)).toBe(false)
    expect(disk.size).toBe(1)
  })

  it('forgets its list with its item', async () => {
    const [pack] = await packFiles(FILES)
    if (!pack) throw new Error('no pack')
    receives(pack.file, pack.manifest)
    await vi.waitFor(() => expect(list()).toHaveLength(300))
    stores.items.setState((state) => reduceItems(state, { type: 'deleted', message: null, id: ID }), true)
    expect(list()).toBeUndefined()
  })
})
