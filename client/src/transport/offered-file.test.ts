import { expect, it, vi } from 'vitest'
import type { Bytes } from '../crypto/bytes'
import { CHUNK_BYTES } from '../protocol/bindings'
import { PIECE_BYTES, PIECE_CHUNKS } from '../protocol/pieces'
import { blake3 } from './blake3'
import { bytes, MIB } from './engine-stage'
import { blobSource, OfferedFile, PieceMemory, type Source } from './offered-file'
import { READ_WITHIN_MS } from './within'

const offered = (source: Source, memory = new PieceMemory()) => new OfferedFile(source, memory, blake3)

/** Counts how often each piece is read. */
function counted(size: number): Source & { readonly reads: number[]; content: Bytes } {
  return {
    size,
    sealed: null,
    content: bytes(size),
    reads: [],
    async read(position, length) {
      this.reads.push(position / PIECE_BYTES)
      return this.content.subarray(position, position + length)
    },
  }
}

/** Firefox's file of parts, of which one has lost its bytes from `from` to `to` on the disk: they are left out. */
function shrunk(content: Uint8Array<ArrayBuffer>, from: number, to: number): Blob {
  const slice = (start: number, end: number) => {
    const part = content.filter((_, at) => at >= start && at < end && (at < from || at >= to))
    return { arrayBuffer: async () => part.buffer }
  }
  return { size: content.byteLength, slice } as unknown as Blob
}

it('reads the chunks that are wanted, also where two pieces meet, and at the end', async () => {
  const content = bytes(PIECE_BYTES + 3 * CHUNK_BYTES + 7)
  const file = offered(blobSource(new Blob([content])))
  expect(await file.read({ first: 1, count: 1 })).toEqual(content.slice(CHUNK_BYTES, 2 * CHUNK_BYTES))
  expect(await file.read({ first: PIECE_CHUNKS - 1, count: 3 })).toEqual(
    content.slice(PIECE_BYTES - CHUNK_BYTES, PIECE_BYTES + 2 * CHUNK_BYTES),
  )
  expect(await file.read({ first: PIECE_CHUNKS + 3, count: 1 })).toEqual(content.slice(-7))
})

it('f16_sends_nothing_of_a_piece_in_which_bytes_are_missing_for_those_behind_them_are_not_in_their_place', async () => {
  const file = offered(blobSource(shrunk(bytes(4 * CHUNK_BYTES), 100, 700)))
  expect(await file.read({ first: 0, count: 1 })).toBeNull()
})

it('reads a piece once for all who want it at the same time and soon after', async () => {
  const source = counted(2 * PIECE_BYTES)
  const file = offered(source)
  expect(file.ready({ first: 0, count: 4 })).toBeNull()
  await Promise.all([file.read({ first: 0, count: 4 }), file.read({ first: 8, count: 4 })])
  expect(file.ready({ first: 4, count: 4 })).toEqual(source.content.slice(4 * CHUNK_BYTES, 8 * CHUNK_BYTES))
  expect(source.reads).toEqual([0])
})

it('keeps no more in memory than the largest budget of a receiver', async () => {
  const source = counted(40 * MIB)
  const memory = new PieceMemory()
  const file = offered(source, memory)
  for (let piece = 0; piece < 40; piece++) await file.piece(piece)
  const here = Array.from({ length: 40 }, (_, piece) => file.ready({ first: piece * PIECE_CHUNKS, count: 1 }))
  expect(here.filter((one) => one !== null)).toHaveLength(32)
  expect(here[0]).toBeNull()
})

it('f19_hashes_each_piece_when_it_is_read_first', async () => {
  const content = bytes(PIECE_BYTES + 5)
  const told: number[] = []
  const file = new OfferedFile(blobSource(new Blob([content])), new PieceMemory(), blake3, (piece) =>
    told.push(piece),
  )
  await file.piece(1)
  await file.piece(0)
  await file.piece(1)
  expect(told).toEqual([1, 0])
  expect(file.hashes.get(1)).toEqual(await blake3(content.subarray(PIECE_BYTES)))
})

it('f19_a_piece_that_has_changed_since_it_was_read_first_is_not_sent', async () => {
  const source = counted(PIECE_BYTES)
  const file = offered(source)
  expect(await file.piece(0)).not.toBeNull()
  file.forget()
  source.content = source.content.map((byte) => byte ^ 1)
  expect(await file.piece(0)).toBeNull()
})

it('a piece that does not come counts as one that cannot be read, and is read anew when it is wanted again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const source = counted(PIECE_BYTES)
  const read = vi.spyOn(source, 'read').mockReturnValueOnce(new Promise(() => {}))
  const file = offered(source)
  const [first, second] = [file.piece(0), file.read({ first: 0, count: 1 })]
  vi.advanceTimersByTime(READ_WITHIN_MS)
  expect([await first, await second]).toEqual([null, null])
  expect(await file.piece(0)).toEqual(source.content)
  expect(read).toHaveBeenCalledTimes(2)
  vi.useRealTimers()
})
