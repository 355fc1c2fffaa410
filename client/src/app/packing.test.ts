// @vitest-environment jsdom
import { expect, it } from 'vitest'
import { readManifest } from '../protocol/manifest'
import { packFiles } from './packing'

const files = ['one', 'two', 'three'].map(
  (text) => new File([text], `${text}.txt`, { type: 'text/plain', lastModified: 7 }),
)

it('f16_files_follow_their_manifest_byte_for_byte', async () => {
  const [pack, ...others] = await packFiles(files)
  if (!pack?.manifest) throw new Error('no pack')
  expect(others).toEqual([])
  expect(pack.file.name).toBe('3 files')
  const bytes = new Uint8Array(await readAll(pack.file))
  const list = readManifest(bytes.subarray(0, pack.manifest.bytes), pack.manifest, pack.file.size)
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

/** jsdom's blobs cannot be read by themselves. */
function readAll(blob: Blob): Promise<ArrayBuffer> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(reader.result as ArrayBuffer)
    reader.onerror = reject
    reader.readAsArrayBuffer(blob)
  })
}
