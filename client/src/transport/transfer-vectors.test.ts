/** What browsers and the native device have to make and to read in the same way (`device/tests/it/vectors.rs`). */
import { describe, expect, it } from 'vitest'
import vectors from '../../../shared/tests/transfers.json'
import type { ItemId } from '../protocol/bindings'
import { type ControlFrame, chunkFrame, decodeFrame, encodeFrame } from '../protocol/frames'
import { type Manifest, parseManifestFacts, readManifest, writeManifest } from '../protocol/manifest'
import { displayName, numbered } from '../protocol/names'
import { packPaths } from '../protocol/pack-paths'
import { chunksOf, pieceCount, wholePieces } from '../protocol/pieces'
import { chunkCount, rangeBytes } from '../protocol/receiver'
import { type NameRules, savedPaths } from '../protocol/saved-names'
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

describe('a name', () => {
  it.each(vectors.names)('f24 $name is shown as $becomes', ({ name, becomes }) => {
    expect(displayName(name)).toBe(becomes)
  })

  it.each(vectors.numbered)('$name is numbered as $becomes', ({ name, number, becomes }) => {
    expect(numbered(name, number)).toBe(becomes)
  })
})

describe('a manifest', () => {
  it.each(vectors.manifests)('f16 with $name', ({ text, files, size, read, isWritten }) => {
    const content = new TextEncoder().encode(text)
    expect(readManifest(content, { files, bytes: content.byteLength }, size)).toEqual(read)
    if (read && isWritten) expect(writeManifest(read.files, read.folders)).toEqual(content)
  })

  it.each(vectors.facts)('f16 is told of by $facts: $isRead', ({ facts, size, isRead }) => {
    expect(parseManifestFacts(facts, size) !== undefined).toBe(isRead)
  })

  it.each(vectors.packPaths)('f16 has the safe paths of $files', ({ files, folders, becomes }) => {
    expect(packPaths(files, folders)).toEqual(becomes)
  })

  it.each(vectors.savedPaths)('f24 is saved where names are $rules as $becomes.files', (named) => {
    const files = named.files.map((path) => ({ path, size: 0, type: '', modified: 0, start: 0 }))
    const manifest: Manifest = { files, folders: named.folders }
    expect(savedPaths(manifest, named.rules as NameRules)).toEqual(named.becomes)
  })
})
