import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Chosen, Folder } from '../features/actions'
import type { ItemId } from '../protocol/bindings'
import { fileItemMessage, pendingItem } from '../protocol/item'
import type { FileItem } from '../stores/cards'
import { createStores, type Stores } from '../stores/stores'
import { reduceTransfers, type TransfersEvent } from '../stores/transfers'
import { packedFrom } from './changed-files'
import type { Context } from './context'
import { LostFiles } from './lost-files'
import { type Pack, packFiles, packFolder, packFolders } from './packing'
import { createToaster } from './toaster'

const A = 'a' as ItemId
const fileOf = (path: string, text = `text of ${path}`, lastModified = 7) =>
  new File([text], path.slice(path.lastIndexOf('/') + 1), { lastModified })
const folderOf = (...files: readonly File[]): Folder => ({
  name: 'Photos',
  files: files.map((file) => ({ path: `Photos/${file.name}`, file })),
  folders: [],
})
const names = ['a.jpg', 'b.jpg', 'c.jpg']
const photos = () => folderOf(...names.map((name) => fileOf(name)))
const files = (...chosen: readonly File[]): Chosen => ({ files: chosen, folders: [] })
const folders = (...chosen: readonly Folder[]): Chosen => ({ files: [], folders: chosen })

let stores: Stores
let lost: LostFiles
/** The manifest that an earlier page has kept. */
let list: Uint8Array<ArrayBuffer> | null
let hasSameContent: boolean
const shared = vi.fn((_id: ItemId, _file: Blob) => {})
const offered = vi.fn((_item: FileItem, _file: File) => {})

const put = (event: TransfersEvent) =>
  stores.transfers.setState((state) => reduceTransfers(state, event), true)
const toasts = () => stores.toasts.getState().toasts.map(({ text }) => text)

/** An earlier page has shared a pack, and is gone. */
async function wasShared([pack]: readonly Pack[]): Promise<Uint8Array> {
  if (!pack?.manifest) throw new Error('no pack')
  const { file, manifest } = pack
  const bytes = new Uint8Array(await file.arrayBuffer())
  list = bytes.slice(0, manifest.bytes)
  const { message, extra } = fileItemMessage({ name: file.name, size: file.size, type: file.type, manifest })
  stores.items.setState({ ...stores.items.getState(), items: [pendingItem(A, message, extra, 0)] }, true)
  put({ type: 'lost', id: A, asks: false })
  return bytes
}

async function offeredBytes(): Promise<Uint8Array | null> {
  const [call] = offered.mock.calls
  return call ? new Uint8Array(await call[1].arrayBuffer()) : null
}

beforeEach(() => {
  vi.clearAllMocks()
  stores = createStores()
  list = null
  hasSameContent = true
  const context = { stores, toaster: createToaster(stores.toasts) } as Context
  const known = { shared, isSame: async () => hasSameContent, listOf: async () => list }
  lost = new LostFiles(context, known, (item, file) => {
    offered(item, file)
    put({ type: 'offering', id: item.id, url: 'blob:a' })
  })
})

describe('a folder that a reload lost', () => {
  it('f17_is_offered_under_its_item_with_the_same_bytes_in_whatever_order_its_files_are_found', async () => {
    const bytes = await wasShared(await packFolder({ ...photos(), folders: ['Photos/empty'] }))
    const again = folderOf(fileOf('new.jpg'), ...[...names].reverse().map((name) => fileOf(name)))
    await lost.chosen([A], folders(again))
    expect(await offeredBytes()).toEqual(bytes)
    expect(toasts()).toEqual([])
    // A later page finds it there too, and is told which of its files has changed.
    expect(shared).toHaveBeenCalledExactlyOnceWith(A, offered.mock.calls[0]?.[1])
    const made = packedFrom(offered.mock.calls[0]?.[1] as File)
    expect([made?.from, made?.parts.map(({ path }) => path)]).toEqual([
      [again],
      names.map((name) => `Photos/${name}`),
    ])
  })

  it('f17_is_not_offered_without_a_file_of_it_which_is_named', async () => {
    await wasShared(await packFolder(photos()))
    await lost.chosen([A], folders(folderOf(fileOf('a.jpg'))))
    expect(offered).not.toHaveBeenCalled()
    expect(toasts()).toEqual([
      '2 files of “Photos” are missing: “Photos/b.jpg” and “Photos/c.jpg”. Choose them as well.',
    ])
  })

  it.each([
    ['another size', fileOf('b.jpg', 'longer than before')],
    ['another time', fileOf('b.jpg', undefined, 8)],
  ])('f17_is_not_offered_with_a_file_of_%s_which_is_named', async (_which, changed) => {
    await wasShared(await packFolder(photos()))
    await lost.chosen([A], folders(folderOf(fileOf('a.jpg'), changed, fileOf('c.jpg'))))
    expect(offered).not.toHaveBeenCalled()
    expect(toasts()).toEqual([
      '1 file of “Photos” has changed since it was shared: “Photos/b.jpg”. Share “Photos” as a new item.',
    ])
  })

  it('f17_is_not_offered_where_samples_tell_that_its_content_is_another', async () => {
    await wasShared(await packFolder(photos()))
    hasSameContent = false
    await lost.chosen([A], folders(photos()))
    expect(offered).not.toHaveBeenCalled()
    expect(toasts()).toEqual(['“Photos” has changed since it was shared. Share it as a new file.'])
  })

  it('f17_that_the_browser_finds_again_is_offered_and_nothing_is_said_where_it_has_changed', async () => {
    await wasShared(await packFolder(photos()))
    await lost.found(A, folders(folderOf(fileOf('a.jpg'))), false)
    expect([offered.mock.calls, toasts()]).toEqual([[], []])
    await lost.found(A, folders(photos()), false)
    expect(offered).toHaveBeenCalledOnce()
  })

  it('f17_is_offered_once_although_it_is_chosen_twice', async () => {
    await wasShared(await packFolder(photos()))
    await Promise.all([1, 2].map(() => lost.chosen([A], folders(photos()))))
    expect(offered).toHaveBeenCalledOnce()
    expect(toasts()).toEqual([])
  })

  it('f17_is_not_offered_where_its_manifest_is_not_known_or_not_its_own', async () => {
    await wasShared(await packFolder(photos()))
    list = list?.slice(1) ?? null
    await lost.chosen([A], folders(photos()))
    list = null
    await lost.chosen([A], folders(photos()))
    expect([offered.mock.calls, toasts()]).toEqual([[], []])
  })
})

describe('many files of one item that a reload lost', () => {
  it('f17_are_offered_again_when_they_are_chosen_again', async () => {
    const bytes = await wasShared(await packFiles(names.map((name) => fileOf(name))))
    await lost.chosen([A], files(fileOf('c.jpg'), fileOf('b.jpg'), fileOf('a.jpg')))
    expect(await offeredBytes()).toEqual(bytes)
  })

  it('f17_may_be_chosen_in_parts_because_they_may_lie_in_several_folders', async () => {
    const bytes = await wasShared(await packFiles(names.map((name) => fileOf(name))))
    await lost.chosen([A], files(fileOf('a.jpg'), fileOf('b.jpg', 'an older one')))
    await lost.chosen([A], files(fileOf('b.jpg'), fileOf('c.jpg')))
    expect(await offeredBytes()).toEqual(bytes)
    expect(toasts()).toEqual(['1 file of “3 files” is missing: “c.jpg”. Choose it as well.'])
  })

  it('f17_of_several_folders_are_chosen_folder_by_folder', async () => {
    const other: Folder = {
      name: 'Films',
      files: [{ path: 'Films/deep/x.bin', file: fileOf('x.bin') }],
      folders: [],
    }
    const bytes = await wasShared(await packFolders([photos(), other]))
    await lost.chosen([A], folders(other))
    expect(offered).not.toHaveBeenCalled()
    await lost.chosen([A], folders(photos()))
    expect(await offeredBytes()).toEqual(bytes)
  })

  it('f17_are_chosen_from_the_beginning_once_their_item_is_gone', async () => {
    const packs = await packFiles(names.map((name) => fileOf(name)))
    await wasShared(packs)
    await lost.chosen([A], files(fileOf('a.jpg')))
    put({ type: 'forgotten', id: A })
    await wasShared(packs)
    await lost.chosen([A], files(fileOf('b.jpg'), fileOf('c.jpg')))
    expect(offered).not.toHaveBeenCalled()
  })
})

it('a file that lies no more where it was is not offered, and must be chosen again without a word', async () => {
  const { message, extra } = fileItemMessage({ name: 'a.jpg', size: 3, type: '' })
  stores.items.setState({ ...stores.items.getState(), items: [pendingItem(A, message, extra, 0)] }, true)
  put({ type: 'lost', id: A, asks: false })
  await lost.found(A, files(), true)
  expect([offered.mock.calls, toasts()]).toEqual([[], []])
})
