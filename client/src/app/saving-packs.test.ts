import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ItemId } from '../protocol/bindings'
import { fileItemMessage, pendingItem } from '../protocol/item'
import type { Manifest, ManifestFacts } from '../protocol/manifest'
import { DIRECT } from '../protocol/way'
import { reduceItems } from '../stores/items'
import { createStores, type Stores } from '../stores/stores'
import { type Receiving, reduceTransfers } from '../stores/transfers'
import { hasLocks } from '../transport/locks-stage'
import type { SaveFolder } from '../transport/save-folder'
import { createBlobUrl } from './blob-urls'
import { packFiles, packFolder } from './packing'
import { learnPack, learnPacks } from './packs'
import { createPackSaving } from './saving-packs'
import { createToaster } from './toaster'

const ID = 'pack' as ItemId
const FILES = Array.from({ length: 300 }, (_, at) => new File([`text ${at}`], `${at}.txt`))

let stores: Stores
/** What is in the picked folder, by path. */
let disk: Map<string, string>
/** The folders that were made in it. */
let made: string[]
/** The folder that the person keeps. */
let kept: SaveFolder | 'none'
/** The items that were begun to be received. */
let received: ItemId[]
/** Called before a file is made there. Throws what the disk says. */
let onMake: (path: string) => void
/** Called when a folder is made there. */
let onFolder: (path: string) => void
/** Called when a file is made there. */
let onMade: (path: string) => void
const toasts = () => stores.toasts.getState().toasts.map(({ text }) => text)
const list = () => {
  const known = stores.packs.getState().lists[ID]
  return known === 'unreadable' ? known : known?.files
}
const createSaving = () =>
  createPackSaving(
    { stores, toaster: createToaster(stores.toasts) },
    { folder: async () => fakeFolder() as SaveFolder, kept: async () => kept },
    (id) => received.push(id),
  )

function fakeFolder(at = ''): object {
  return {
    async getDirectoryHandle(name: string) {
      made.push(at + name)
      onFolder(at + name)
      return fakeFolder(`${at}${name}/`)
    },
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
function receives(file: File, manifest: ManifestFacts | undefined) {
  comes(file, manifest)
  arrives(file)
}

function comes(file: File, manifest: ManifestFacts | undefined) {
  const { message, extra } = fileItemMessage({ name: file.name, size: file.size, type: '', manifest })
  const item = pendingItem(ID, message, extra, 0)
  stores.items.setState((state) => reduceItems(state, { type: 'shared', item }), true)
}

function arrives(file: File) {
  is({ status: 'done', url: createBlobUrl(file), way: DIRECT, isKept: true })
}

/** Files that are here with their list. */
async function isHere(): Promise<Manifest> {
  const [pack] = await packFiles(FILES)
  if (!pack) throw new Error('no pack')
  receives(pack.file, pack.manifest)
  await vi.waitFor(() => expect(list()).toHaveLength(300))
  return stores.packs.getState().lists[ID] as Manifest
}

function is(state: Receiving) {
  stores.transfers.setState((all) => reduceTransfers(all, { type: 'receiving', id: ID, state }), true)
}

beforeEach(() => {
  stores = createStores()
  disk = new Map([['7.txt', 'mine']])
  made = []
  kept = 'none'
  received = []
  hasLocks()
  onMake = () => {}
  onMade = () => {}
  onFolder = () => {}
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
    const saving = createSaving()
    void saving.save(ID)
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
    const saving = createSaving()
    onMade = (path) => path === '5.txt' && saving.stopSaving(ID)
    void saving.save(ID)
    await vi.waitFor(() => expect(disk.has('4.txt')).toBe(true))
    await vi.waitFor(() => expect(stores.saves.getState().saves).toEqual({}))
    expect([...disk.keys()]).toEqual(['7.txt', ...['0', '1', '2', '3', '4'].map((name) => `${name}.txt`)])
    expect([...disk.values()].filter((text) => text === '')).toEqual([])
    expect(toasts()).toEqual([])
  })

  it('f16_saves_the_others_where_the_disk_refuses_several_and_says_how_many', async () => {
    const [pack] = await packFiles(FILES)
    if (!pack) throw new Error('no pack')
    receives(pack.file, pack.manifest)
    await vi.waitFor(() => expect(list()).toHaveLength(300))
    onMake = (path) => {
      if (path.startsWith('5')) throw new TypeError('Name is not allowed.')
    }
    void createSaving().save(ID)
    const sentence = 'Saved 289 of 300 files. “5.txt” and 10 others could not be saved.'
    await vi.waitFor(() => expect(toasts()).toEqual([sentence]))
  })

  it('f16_saves_the_others_where_the_disk_refuses_one_and_says_which', async () => {
    const [pack] = await packFiles(FILES)
    if (!pack) throw new Error('no pack')
    receives(pack.file, pack.manifest)
    await vi.waitFor(() => expect(list()).toHaveLength(300))
    onMake = (path) => {
      if (path === '5.txt') throw new TypeError('Name is not allowed.')
    }
    void createSaving().save(ID)
    await vi.waitFor(() => expect(toasts()).toEqual(['Saved 299 of 300 files. “5.txt” could not be saved.']))
    expect([disk.get('4.txt'), disk.get('5.txt'), disk.get('6.txt')]).toEqual(['text 4', undefined, 'text 6'])
    expect(disk.get('299.txt')).toBe('text 299')
  })

  it.each([
    ['NotAllowedError', 'The browser may no longer write there.'],
    ['QuotaExceededError', 'There is no space left on this device. Make room, then try again.'],
  ])('f16_is_not_saved_on_after_%s_which_every_other_file_would_meet_as_well', async (name, why) => {
    const [pack] = await packFiles(FILES)
    if (!pack) throw new Error('no pack')
    receives(pack.file, pack.manifest)
    await vi.waitFor(() => expect(list()).toHaveLength(300))
    const tried: string[] = []
    onMake = (path) => {
      tried.push(path)
      if (path === '5.txt') throw new DOMException('', name)
    }
    void createSaving().save(ID)
    const sentence = 'Saved 5 of 300 files. “5.txt” could not be saved.'
    await vi.waitFor(() => expect(toasts()).toEqual([`${sentence} ${why}`]))
    expect(tried).toHaveLength(6)
  })

  it('f16_says_nothing_when_an_archive_is_cancelled_whatever_error_the_browser_makes_of_it', async () => {
    vi.stubGlobal('showDirectoryPicker', undefined)
    Reflect.deleteProperty(globalThis, 'showDirectoryPicker')
    const [pack] = await packFiles(FILES)
    if (!pack) throw new Error('no pack')
    receives(pack.file, pack.manifest)
    await vi.waitFor(() => expect(list()).toHaveLength(300))
    const saving = createSaving()
    // Chromium says of a stream that was aborted: TypeError, Failed to fetch.
    vi.spyOn(Response.prototype, 'blob').mockImplementation(() => {
      saving.stopSaving(ID)
      return Promise.reject(new TypeError('Failed to fetch'))
    })
    void saving.save(ID)
    await vi.waitFor(() => expect(Response.prototype.blob).toHaveBeenCalled())
    await vi.waitFor(() => expect(stores.saves.getState().saves).toEqual({}))
    expect(toasts()).toEqual([])
  })

  it('f24_saves_what_was_chosen_with_its_empty_folders_and_nothing_else', async () => {
    const files = ['a.txt', 'x/b.txt', 'x/c.txt'].map((path) => ({
      path: `P/${path}`,
      file: new File([path], ''),
    }))
    const [pack] = await packFolder({ name: 'P', files, folders: ['P/leer', 'P/none'] })
    if (!pack) throw new Error('no pack')
    receives(pack.file, pack.manifest)
    await vi.waitFor(() => expect(list()).toHaveLength(3))
    const all = stores.packs.getState().lists[ID]
    if (!all || all === 'unreadable') throw new Error('no list')
    const part = { files: all.files.filter(({ path }) => path !== 'P/a.txt'), folders: ['P/leer'] }
    await createSaving().saveChosen(ID, part, 'files')
    expect(toasts()).toEqual(['Saved 2 files'])
    expect(made).toEqual(['P', 'P/leer', 'P/x'])
    expect([disk.get('P/x/b.txt'), disk.get('P/x/c.txt'), disk.has('P/a.txt')]).toEqual([
      'x/b.txt',
      'x/c.txt',
      false,
    ])
  })

  it('f24_saves_what_was_chosen_as_soon_as_it_is_here', async () => {
    const [pack] = await packFiles(FILES)
    if (!pack?.manifest) throw new Error('no pack')
    comes(pack.file, pack.manifest)
    learnPack(stores, ID, new Uint8Array(await pack.file.slice(0, pack.manifest.bytes).arrayBuffer()))
    const all = stores.packs.getState().lists[ID]
    if (!all || all === 'unreadable') throw new Error('no list')
    const saved = createSaving().saveChosen(ID, { files: all.files.slice(0, 1), folders: [] }, 'files')
    await vi.waitFor(() => expect(stores.saves.getState().saves[ID]).toEqual({ status: 'waiting' }))
    expect(disk.has('0.txt')).toBe(false)
    arrives(pack.file)
    await saved
    expect(disk.get('0.txt')).toBe('text 0')
  })

  it('f24_saves_nothing_of_what_is_deleted_or_given_up_before_it_is_here', async () => {
    const [pack] = await packFiles(FILES)
    if (!pack?.manifest) throw new Error('no pack')
    const saving = createSaving()
    const part = { files: [], folders: ['x'] }
    comes(pack.file, pack.manifest)
    const stopped = saving.saveChosen(ID, part, 'files')
    await vi.waitFor(() => expect(stores.saves.getState().saves[ID]).toEqual({ status: 'waiting' }))
    saving.stopSaving(ID)
    await stopped
    const orphaned = saving.saveChosen(ID, part, 'files')
    stores.items.setState((state) => reduceItems(state, { type: 'deleted', message: null, id: ID }), true)
    await orphaned
    expect([made, toasts(), stores.saves.getState().saves]).toEqual([[], [], {}])
  })

  it('f16_says_how_many_bytes_are_saved', async () => {
    const all = await isHere()
    const told: string[] = []
    stores.saves.subscribe(({ saves: { [ID]: save } }) => {
      if (save?.status === 'saving') told.push(`${save.bytes} of ${save.size}`)
    })
    const size = all.files.reduce((sum, file) => sum + file.size, 0)
    // As much as the screen needs is told, however fast the clock is.
    vi.spyOn(performance, 'now').mockImplementation(() => told.length * 1_000)
    await createSaving().save(ID)
    expect([told[0], told.at(-1)]).toEqual([`0 of ${size}`, `${size} of ${size}`])
  })

  it('f16_is_not_begun_twice_and_its_cancelling_counts_while_folders_are_made', async () => {
    const folders = ['P/a', 'P/b', 'P/c']
    const [pack] = await packFolder({ name: 'P', files: [], folders })
    if (!pack) throw new Error('no pack')
    receives(pack.file, pack.manifest)
    await vi.waitFor(() => expect(stores.packs.getState().lists[ID]).toBeDefined())
    const saving = createSaving()
    onFolder = (name) => name === 'P/a' && saving.stopSaving(ID)
    await Promise.all([saving.save(ID), saving.save(ID)])
    expect(made).toEqual(['P', 'P/a'])
    expect(toasts()).toEqual([])
  })

  it('f16_whose_list_is_not_known_yet_is_no_raw_file_but_waits_for_it', async () => {
    const [pack] = await packFiles(FILES)
    if (!pack) throw new Error('no pack')
    receives(pack.file, pack.manifest)
    const saving = createSaving()
    expect([list(), saving.isPack(ID)]).toEqual([undefined, true])
    await saving.save(ID)
    expect(disk.get('299.txt')).toBe('text 299')
  })

  it('f16_one_file_of_it_is_saved_in_the_kept_folder_under_the_name_that_is_said', async () => {
    const all = await isHere()
    kept = fakeFolder() as SaveFolder
    const [file] = all.files.filter(({ path }) => path === '7.txt')
    if (!file) throw new Error('no file')
    await createSaving().savePacked(ID, file)
    expect([disk.get('7.txt'), disk.get('7 (2).txt')]).toEqual(['mine', 'text 7'])
    expect(toasts()).toEqual(['Saved “7 (2).txt”'])
  })

  it('f24_one_chosen_file_is_downloaded_as_itself_where_there_are_no_folders', async () => {
    Reflect.deleteProperty(globalThis, 'showDirectoryPicker')
    const saved: string[] = []
    vi.stubGlobal('document', {
      createElement: () => ({
        click(this: { download: string }) {
          saved.push(this.download)
        },
      }),
    })
    const files = ['P/x/b.txt', 'P/c.txt'].map((path) => ({ path, file: new File([path], '') }))
    const [pack] = await packFolder({ name: 'P', files, folders: [] })
    if (!pack) throw new Error('no pack')
    receives(pack.file, pack.manifest)
    await vi.waitFor(() => expect(list()).toHaveLength(2))
    const all = stores.packs.getState().lists[ID] as Manifest
    const saving = createSaving()
    await saving.saveChosen(ID, { files: all.files.slice(0, 1), folders: [] }, 'files')
    await saving.saveChosen(ID, all, 'files')
    expect(saved).toEqual(['b.txt', 'P.zip'])
  })

  it('f24_is_received_when_it_is_to_be_saved_and_given_up_with_its_transfer', async () => {
    const [pack] = await packFiles(FILES)
    if (!pack) throw new Error('no pack')
    comes(pack.file, pack.manifest)
    is({ status: 'offered' })
    const saved = createSaving().saveChosen(ID, { files: [], folders: ['x'] }, 'files')
    await vi.waitFor(() => expect(received).toEqual([ID]))
    is({ status: 'cancelled', by: 'me' })
    await saved
    expect([made, stores.saves.getState().saves]).toEqual([[], {}])
  })

  it('f16_with_a_list_that_lies_is_one_file', async () => {
    const lie = '{"files":[{"path":"../a","size":1,"type":"","modified":0}]}'
    receives(new File([lie, 'x'], 'evil'), { files: 1, bytes: lie.length })
    await vi.waitFor(() => expect(list()).toBe('unreadable'))
    const saving = createSaving()
    expect(saving.isPack(ID)).toBe(false)
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
