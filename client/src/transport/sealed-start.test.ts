import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { newFileSeal } from '../crypto/file-keys'
import { CHUNK_BYTES } from '../protocol/bindings'
import { bytes } from './engine-stage'
import { SealedFile } from './sealed-file'
import { readSealedStart } from './sealed-start'

const SEAL = newFileSeal()
let copy: Uint8Array<ArrayBuffer>
let ranges: string[]

beforeEach(() => {
  ranges = []
  vi.stubGlobal('fetch', async (_: string, { headers }: { headers: { range: string } }) => {
    ranges.push(headers.range)
    const [start = 0, last = 0] = headers.range.slice('bytes='.length).split('-').map(Number)
    return new Response(copy.slice(start, last + 1), { status: 206 })
  })
})
afterEach(() => vi.unstubAllGlobals())

async function isStored(size: number): Promise<Uint8Array> {
  const content = bytes(size)
  const sealed = new SealedFile(new Blob([content]), SEAL)
  copy = new Uint8Array(await (await sealed.slice(0, sealed.size)).arrayBuffer())
  return content
}

it.each([
  [10, 100],
  [10, 10],
  [CHUNK_BYTES, CHUNK_BYTES + 1],
  [CHUNK_BYTES + 1, 3 * CHUNK_BYTES],
])('e7_the_first_%i_of_%i_bytes_of_a_sealed_copy_are_those_of_the_file', async (wanted, size) => {
  const content = await isStored(size)
  const read = await readSealedStart('/copy', { size, seal: SEAL }, wanted)
  expect(read).toEqual(content.slice(0, wanted))
  const chunks = Math.ceil(wanted / CHUNK_BYTES)
  expect(ranges).toEqual([`bytes=56-${Math.min(copy.length, 56 + chunks * (CHUNK_BYTES + 16)) - 1}`])
})

it('e7_what_does_not_open_is_never_taken_for_the_file', async () => {
  await isStored(100)
  copy[70] = (copy[70] ?? 0) ^ 1
  await expect(readSealedStart('/copy', { size: 100, seal: SEAL }, 10)).rejects.toThrow()
})
