import { beforeAll, describe, expect, it } from 'vitest'
import { type Bytes, concat, randomBytes } from './bytes'
import { CHUNK_BYTES, chunkStart, FileCipher, HEADER_BYTES, sealedSize } from './file-chunks'

const FILE_KEY = randomBytes(32)
/** None, less than a chunk, one, and some and a bit. */
const SIZES = [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES, 3 * CHUNK_BYTES + 777]

let sealing: FileCipher
let opening: FileCipher

beforeAll(async () => {
  sealing = await FileCipher.sealing(FILE_KEY)
  opening = (await FileCipher.opening(FILE_KEY, sealing.header)) as FileCipher
})

async function chunksOf(cipher: FileCipher, file: Bytes): Promise<Bytes[]> {
  const count = Math.floor(file.byteLength / CHUNK_BYTES) + 1
  const chunks = Array.from({ length: count }, (_, at) =>
    cipher.seal(at, file.slice(at * CHUNK_BYTES, (at + 1) * CHUNK_BYTES)),
  )
  return Promise.all(chunks)
}

describe('a sealed file', () => {
  it.each(SIZES)('of %i bytes opens to what it was, and its size is known before', async (size) => {
    const file = new Uint8Array(size).map((_, at) => at * 7)
    const chunks = await chunksOf(sealing, file)
    const opened = await Promise.all(
      chunks.map((chunk, at) => opening.open(at, chunk, at === chunks.length - 1)),
    )
    expect(concat(...(opened as Bytes[]))).toEqual(file)
    expect(concat(sealing.header, ...chunks).byteLength).toBe(sealedSize(size))
    expect(chunkStart(chunks.length - 1)).toBe(sealedSize(size) - (chunks.at(-1)?.byteLength ?? 0))
  })

  it('opens no chunk at another place, of another file, or with a bit changed', async () => {
    const file = randomBytes(2 * CHUNK_BYTES + 5)
    const chunks = await chunksOf(sealing, file)
    const [first] = chunks as [Bytes]
    expect(await opening.open(1, first, false)).toBeNull()
    const [stranger] = await chunksOf(await FileCipher.sealing(FILE_KEY), file)
    expect(await opening.open(0, stranger as Bytes, false)).toBeNull()
    const changed = first.map((byte, at) => (at === 100 ? byte ^ 1 : byte))
    expect(await opening.open(0, changed, false)).toBeNull()
    expect(await opening.open(0, first, false)).toEqual(file.slice(0, CHUNK_BYTES))
  })

  it('that was cut short after a full chunk is noticed', async () => {
    const [first] = (await chunksOf(sealing, randomBytes(CHUNK_BYTES + 5))) as [Bytes]
    expect(await opening.open(0, first, true)).toBeNull()
    const [only] = (await chunksOf(sealing, randomBytes(5))) as [Bytes]
    expect(await opening.open(0, only, false)).toBeNull()
  })

  it('is known by its header, which is of one key alone', async () => {
    expect(await FileCipher.opening(randomBytes(32), sealing.header)).toBeNull()
    expect(await FileCipher.opening(FILE_KEY, sealing.header.slice(1))).toBeNull()
    const changed = sealing.header.map((byte, at) => (at === HEADER_BYTES - 1 ? byte ^ 1 : byte))
    expect(await FileCipher.opening(FILE_KEY, changed)).toBeNull()
  })
})
