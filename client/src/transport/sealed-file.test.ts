import { expect, it } from 'vitest'
import { concat } from '../crypto/bytes'
import { CHUNK_BYTES, chunkStart, HEADER_BYTES, sealedSize } from '../crypto/file-chunks'
import { fileKeysOf, newFileSeal } from '../crypto/file-keys'
import { bytes } from './engine-stage'
import { SealedFile } from './sealed-file'

const SEAL = newFileSeal()

async function whole(content: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const { cipher } = await fileKeysOf(SEAL)
  const count = Math.floor(content.byteLength / CHUNK_BYTES) + 1
  const chunks = Array.from({ length: count }, (_, at) =>
    cipher.seal(at, content.slice(at * CHUNK_BYTES, (at + 1) * CHUNK_BYTES)),
  )
  return concat(cipher.header, ...(await Promise.all(chunks)))
}

const read = async (file: SealedFile, start: number, end: number) =>
  Buffer.from(await (await file.slice(start, end)).arrayBuffer())

it.each([0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, 130 * CHUNK_BYTES, 130 * CHUNK_BYTES + 7])(
  'e7_a_file_of_%i_bytes_has_a_header_and_a_last_chunk_that_is_not_full',
  async (size) => {
    const content = bytes(size)
    const file = new SealedFile(new Blob([content]), SEAL)
    expect(file.size).toBe(sealedSize(size))
    expect((await read(file, 0, file.size)).equals(await whole(content))).toBe(true)
  },
)

it('an upload goes on at any byte: each part is the same as in the whole', async () => {
  const content = bytes(130 * CHUNK_BYTES + 7)
  const sealed = await whole(content)
  const file = new SealedFile(new Blob([content]), SEAL)
  const places = [
    0,
    1,
    HEADER_BYTES - 1,
    HEADER_BYTES,
    chunkStart(1),
    chunkStart(64) + 9,
    chunkStart(130),
    file.size,
  ]
  for (const start of places)
    for (const end of places)
      if (end > start) expect((await read(file, start, end)).equals(sealed.subarray(start, end))).toBe(true)
  expect((await read(file, file.size - 3, file.size + 100)).equals(sealed.subarray(-3))).toBe(true)
})

it('nothing is sealed of a file that has become shorter, for other bytes would have the place of its own', async () => {
  const content = new Blob([bytes(3 * CHUNK_BYTES)])
  const shrunk = { size: content.size + 5, slice: (...range: [number, number]) => content.slice(...range) }
  const file = new SealedFile(shrunk as Blob, SEAL)
  await expect(file.slice(0, file.size)).rejects.toThrow()
})
