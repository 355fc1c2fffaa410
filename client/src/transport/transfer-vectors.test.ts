/** What browsers and the native device have to make and to read in the same way (`device/tests/it/vectors.rs`). */
import { describe, expect, it } from 'vitest'
import vectors from '../../../shared/tests/transfers.json'
import type { ItemId } from '../protocol/bindings'
import { type ControlFrame, chunkFrame, decodeFrame, encodeFrame } from '../protocol/frames'
import { chunksOf, pieceCount, wholePieces } from '../protocol/pieces'
import { chunkCount, rangeBytes } from '../protocol/receiver'
import { blake3 } from './blake3'

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'))
const hex = (some: Uint8Array) => Buffer.from(some).toString('hex')
const ranges = (pairs: readonly (readonly number[])[]) =>
  pairs.map(([first = 0, count = 0]) => ({ first, count }))

type Frame = (typeof vectors.frames)[number]['frame']

/** The frame without its bytes; null for a chunk. */
function control(frame: Frame): ControlFrame | null {
  if (frame.type === 'chunk') return null
  const hashes = 'hashes' in frame && { hashes: frame.hashes?.map(bytes) }
  return { ...frame, ...hashes } as ControlFrame
}

describe('frames', () => {
  it.each(vectors.frames)('$frame.type is written as $bytes, and read again', ({ frame, bytes: written }) => {
    const known = control(frame)
    if (known) {
      expect(hex(encodeFrame(known))).toBe(written)
      expect(decodeFrame(bytes(written).buffer)).toEqual(known)
      return
    }
    const parts = (frame.parts ?? []).map(bytes)
    const { transfer, first = 0 } = frame
    expect(hex(chunkFrame(transfer as ItemId, first, ...parts))).toBe(written)
    const whole = bytes((frame.parts ?? []).join(''))
    expect(decodeFrame(bytes(written).buffer)).toEqual({ type: 'chunk', transfer, first, bytes: whole })
  })

  it.each(vectors.refused)('f8 $name is dropped', ({ bytes: written }) => {
    expect(decodeFrame(bytes(written).buffer)).toBeNull()
  })
})

describe('a file', () => {
  it.each(vectors.sizes)('f2 f19 of $size bytes has $chunks chunks and $pieces pieces', (file) => {
    expect([chunkCount(file.size), pieceCount(file.size)]).toEqual([file.chunks, file.pieces])
    if (file.size === 0) return
    expect(rangeBytes({ first: file.chunks - 1, count: 1 }, file.size)).toBe(file.lastChunkBytes)
    expect(chunksOf(file.pieces - 1, file.size).count).toBe(file.lastPieceChunks)
  })

  it.each(vectors.whole)('f19 of $size bytes has of the chunks $ranges the pieces $pieces', (file) => {
    expect(wholePieces(ranges(file.ranges), file.size)).toEqual(ranges(file.pieces))
  })

  it.each(vectors.hashes.of)('f19 e7 has for a piece of $length bytes one hash', async (piece) => {
    const content = Uint8Array.from(
      { length: piece.length },
      (_, i) => (i * 31 + (i >> 8) + (i >> 14)) & 0xff,
    )
    expect(hex(await blake3(content))).toBe(piece.hash)
    expect(hex(await blake3(content, bytes(vectors.hashes.key)))).toBe(piece.keyed)
  })
})
