// @vitest-environment jsdom
import { expect, it, vi } from 'vitest'
import { readManifest } from '../protocol/manifest'
import { GLANCE_WITHIN_MS } from '../transport/within'
import { packFiles, packFolder, packFolders } from './packing'

const files = ['one', 'two', 'three'].map(
  (text) => new File([text], `${text}.txt`, { type: 'text/plain', lastModified: 7 }),
)

it('f16_files_follow_their_manifest_byte_for_byte', async () => {
  const [pack, ...others] = await packFiles(files)
  if (!pack?.manifest) throw new Error('no pack')
  expect(others).toEqual([])
  expect(pack.file.name).toBe('3 files')
  const bytes = new Uint8Array(await readAll(pack.file))
  const list = readManifest(bytes.subarray(0, pack.manifest.bytes), pack.manifest, pack.file.size)?.files
  const texts = list?.map(({ start, size }) => new TextDecoder().decode(bytes.subarray(start, start + size)))
  expect(texts).toEqual(['one', 'two', 'three'])
  expect(list?.[0]).toMatchObject({ path: 'one.txt', type: 'text/plain', modified: 7 })
})

it('f16_files_that_need_two_manifests_keep_their_own_bytes', async () => {
  const long = 'x'.repeat(240)
  const many = Array.from({ length: 30_000 }, (_, at) => new File([`${at};`], `${long}${at}.txt`))
  const packs = await packFiles(many)
  expect(packs.length).toBeGreaterThan(1)
  const texts: string[] = []
  for (const { file, manifest } of packs) {
    if (!manifest) throw new Error('no manifest')
    texts.push(await readAll(file.slice(manifest.bytes)).then((bytes) => new TextDecoder().decode(bytes)))
  }
  expect(texts.join('')).toBe(many.map((_, at) => `${at};`).join(''))
})

it('f16_files_that_cannot_be_read_when_they_are_packed_are_told_when_they_are_sent', async () => {
  const [pack] = await whileNothingIsRead(() => packFiles(files))
  if (!pack?.manifest) throw new Error('no pack')
  const bytes = await readAll(pack.file.slice(pack.manifest.bytes))
  expect(new TextDecoder().decode(bytes)).toBe('onetwothree')
})

it('f16_files_of_which_nothing_comes_when_they_are_packed_are_read_when_they_are_sent', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const read = vi.spyOn(Blob.prototype, 'arrayBuffer').mockReturnValue(new Promise(() => {}))
  const packing = packFiles(files)
  await vi.waitFor(() => expect(read).toHaveBeenCalled())
  vi.advanceTimersByTime(GLANCE_WITHIN_MS)
  const [pack] = await packing
  read.mockRestore()
  vi.useRealTimers()
  if (!pack?.manifest) throw new Error('no pack')
  const bytes = await readAll(pack.file.slice(pack.manifest.bytes))
  expect(new TextDecoder().decode(bytes)).toBe('onetwothree')
})

async function whileNothingIsRead<T>(run: () => Promise<T>): Promise<T> {
  const read = vi
    .spyOn(Blob.prototype, 'arrayBuffer')
    .mockRejectedValue(new DOMException('', 'NotReadableError'))
  try {
    return await run()
  } finally {
    expect(read).toHaveBeenCalled()
    read.mockRestore()
  }
}

async function listOf({ file, manifest }: Awaited<ReturnType<typeof packFolder>>[number]) {
  if (!manifest) throw new Error('no manifest')
  const bytes = new Uint8Array(await readAll(file.slice(0, manifest.bytes)))
  return readManifest(bytes, manifest, file.size)
}

const photos = {
  name: 'Photos',
  files: [{ path: 'Photos/.hidden', file: new File(['x'], '.hidden') }],
  folders: ['Photos/empty'],
}

it('f16_a_folder_is_one_item_with_its_name_its_tree_and_its_empty_folders', async () => {
  const [pack, ...others] = await packFolder(photos)
  if (!pack) throw new Error('no pack')
  expect(others).toEqual([])
  expect(pack.file.name).toBe('Photos')
  expect(pack.manifest).toMatchObject({ files: 1, folder: true })
  expect(await listOf(pack)).toMatchObject({ files: [{ path: 'Photos/.hidden' }], folders: ['Photos/empty'] })
})

it('f16_a_folder_without_files_is_an_item_as_well', async () => {
  const [pack] = await packFolder({ name: 'a', files: [], folders: ['a'] })
  if (!pack) throw new Error('no pack')
  expect(await listOf(pack)).toEqual({ files: [], folders: ['a'] })
})

it('f16_folders_for_which_there_is_no_room_are_one_item_and_stay_apart', async () => {
  const [pack, ...others] = await packFolders([photos, photos])
  if (!pack) throw new Error('no pack')
  expect(others).toEqual([])
  expect(pack.file.name).toBe('2 folders')
  expect(await listOf(pack)).toMatchObject({
    files: [{ path: 'Photos/.hidden' }, { path: 'Photos (2)/.hidden' }],
    folders: ['Photos/empty', 'Photos (2)/empty'],
  })
})

/** jsdom's blobs cannot be read by themselves. */
function readAll(blob: Blob): Promise<ArrayBuffer> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(reader.result as ArrayBuffer)
    reader.onerror = reject
    reader.readAsArrayBuffer(blob)
  })
}
