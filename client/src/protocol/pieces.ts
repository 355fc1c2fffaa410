/**
 * A piece is a run of chunks: the unit in which a file is hashed (F19), and in which a device that has parts of a file
 * offers them to others (F20).
 */
import { CHUNK_BYTES } from './bindings'
import type { ChunkRange } from './chunk-set'
import { chunkCount } from './receiver'

/**
 * Chunks in a piece. At 1 MiB, the hashes of a file of 20 GB take 640 KB, and a wrong chunk costs 1 MiB more; in smaller
 * pieces, devices would tell each other more often what they have.
 */
export const PIECE_CHUNKS = 64
export const PIECE_BYTES = PIECE_CHUNKS * CHUNK_BYTES

/** Returns how many pieces a file of `size` bytes has; 0 for an empty file. */
export function pieceCount(size: number): number {
  return Math.ceil(size / PIECE_BYTES)
}

/** Returns the chunks of a piece; the last piece may have fewer. */
export function chunksOf(piece: number, size: number): ChunkRange {
  const first = piece * PIECE_CHUNKS
  return { first, count: Math.min(PIECE_CHUNKS, chunkCount(size) - first) }
}

/** Returns the numbers of the pieces that some chunks lie in. */
export function piecesOf({ first, count }: ChunkRange): readonly number[] {
  const from = Math.floor(first / PIECE_CHUNKS)
  const to = Math.floor((first + count - 1) / PIECE_CHUNKS)
  return Array.from({ length: to - from + 1 }, (_, at) => from + at)
}

/** Returns the pieces of which every chunk is in one of some ranges that do not touch each other. */
export function wholePieces(ranges: readonly ChunkRange[], size: number): readonly ChunkRange[] {
  return ranges.flatMap(({ first, count }) => {
    const end = first + count
    const from = Math.ceil(first / PIECE_CHUNKS)
    const to = end === chunkCount(size) ? pieceCount(size) : Math.floor(end / PIECE_CHUNKS)
    return to > from ? [{ first: from, count: to - from }] : []
  })
}
