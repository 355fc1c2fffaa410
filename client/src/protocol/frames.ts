/** Frames between two devices, the same bytes on every link (PROTOCOL.md, section F). */
import { CHUNK_BYTES, type ItemId } from './bindings'
import type { ChunkRange } from './chunk-set'
import { HASH_BYTES, type PieceHash } from './piece-checks'

/** The reasons of a `cancel` frame, as on the wire. */
export const CANCEL_REASONS = { person: 1, gone: 2, noRoom: 3, paused: 4 } as const
export type CancelReason = keyof typeof CANCEL_REASONS

export type Frame =
  | { type: 'want'; transfer: ItemId; first: number; count: number }
  | { type: 'chunk'; transfer: ItemId; first: number; bytes: Uint8Array<ArrayBuffer> }
  | { type: 'done'; transfer: ItemId }
  | { type: 'cancel'; transfer: ItemId; reason: CancelReason }
  /** The answer to `done` and to `cancel`. */
  | { type: 'ended'; transfer: ItemId }
  /** The server dropped chunks of this transfer; what has not arrived on this link will not arrive (F11). */
  | { type: 'dropped'; transfer: ItemId }
  /** Asks for a `pong` with the same token at once, to measure the round trip (F15). */
  | { type: 'ping'; token: string }
  | { type: 'pong'; token: string }
  /** The sender has a file again, or goes on with it: what it did not have when the receiver wanted it (F17, F18). */
  | { type: 'offered'; transfer: ItemId }
  /** The hashes of pieces, from `first` on (F19). */
  | { type: 'hashes'; transfer: ItemId; first: number; hashes: readonly PieceHash[] }
  /** Asks for the hashes of pieces (F19). */
  | { type: 'ask'; transfer: ItemId; first: number; count: number }
  /** The sender receives a file, or has it, and gives these pieces of it besides those that it named before (F20). */
  | { type: 'have'; transfer: ItemId; pieces: readonly ChunkRange[] }
  /** The pieces that the sender is getting from the device that shared the file: all that it gets now (F20). */
  | { type: 'claim'; transfer: ItemId; pieces: readonly ChunkRange[] }

/** Every frame except a chunk, which `chunkFrame` writes. */
export type ControlFrame = Exclude<Frame, { type: 'chunk' }>

const KIND = {
  want: 1,
  chunk: 2,
  done: 3,
  cancel: 4,
  ended: 5,
  dropped: 6,
  ping: 7,
  pong: 8,
  offered: 9,
  hashes: 10,
  ask: 11,
  have: 12,
  claim: 13,
} as const
const ID_BYTES = 16
const HEADER_BYTES = 1 + ID_BYTES

/** Bytes before the body of a chunk frame: kind, transfer, first. */
export const CHUNK_HEADER_BYTES = HEADER_BYTES + 4

/** Bytes of a range: first, count. */
const RANGE_BYTES = 8

/** Bytes of the largest chunk, which is a sealed one (E7). */
const LARGEST_CHUNK_BYTES = CHUNK_BYTES + 16

/** Chunks in one frame. Larger frames leave in larger bursts, which lose more packets, and measured no faster. */
const FRAME_CHUNKS = 4

/** Returns how many whole chunks fit a frame of at most `maxFrame` bytes; at least one. */
export function chunksPerFrame(maxFrame: number): number {
  return Math.min(
    FRAME_CHUNKS,
    Math.max(1, Math.floor((maxFrame - CHUNK_HEADER_BYTES) / LARGEST_CHUNK_BYTES)),
  )
}

export function encodeFrame(frame: ControlFrame): Uint8Array<ArrayBuffer> {
  switch (frame.type) {
    case 'want':
    case 'ask':
      return withRanges(frame.type, frame.transfer, [frame])
    case 'have':
    case 'claim':
      return withRanges(frame.type, frame.transfer, frame.pieces)
    case 'hashes': {
      const bytes = header(frame.type, frame.transfer, CHUNK_HEADER_BYTES + frame.hashes.length * HASH_BYTES)
      new DataView(bytes.buffer).setUint32(HEADER_BYTES, frame.first)
      for (const [at, hash] of frame.hashes.entries()) bytes.set(hash, CHUNK_HEADER_BYTES + at * HASH_BYTES)
      return bytes
    }
    case 'done':
    case 'ended':
    case 'dropped':
    case 'offered':
      return header(frame.type, frame.transfer, HEADER_BYTES)
    case 'ping':
    case 'pong':
      return header(frame.type, frame.token, HEADER_BYTES)
    case 'cancel': {
      const bytes = header(frame.type, frame.transfer, HEADER_BYTES + 1)
      bytes[HEADER_BYTES] = CANCEL_REASONS[frame.reason]
      return bytes
    }
  }
}

function withRanges(
  kind: 'want' | 'ask' | 'have' | 'claim',
  transfer: ItemId,
  ranges: readonly ChunkRange[],
): Uint8Array<ArrayBuffer> {
  const bytes = header(kind, transfer, HEADER_BYTES + ranges.length * RANGE_BYTES)
  const view = new DataView(bytes.buffer)
  ranges.forEach(({ first, count }, at) => {
    view.setUint32(HEADER_BYTES + at * RANGE_BYTES, first)
    view.setUint32(HEADER_BYTES + at * RANGE_BYTES + 4, count)
  })
  return bytes
}

/** Writes a chunk frame around the parts of its body. This is the only copy of the bytes between the file and the link. */
export function chunkFrame(
  transfer: ItemId,
  first: number,
  ...parts: readonly Uint8Array[]
): Uint8Array<ArrayBuffer> {
  const length = parts.reduce((sum, { byteLength }) => sum + byteLength, CHUNK_HEADER_BYTES)
  const bytes = header('chunk', transfer, length)
  new DataView(bytes.buffer).setUint32(HEADER_BYTES, first)
  let at = CHUNK_HEADER_BYTES
  for (const part of parts) {
    bytes.set(part, at)
    at += part.byteLength
  }
  return bytes
}

/** Parses a frame. Returns null when it cannot be parsed (F8). The body of a chunk is a view into `buffer`. */
export function decodeFrame(buffer: ArrayBuffer): Frame | null {
  if (buffer.byteLength < HEADER_BYTES) return null
  const view = new DataView(buffer)
  const transfer = readId(view)
  switch (view.getUint8(0)) {
    case KIND.want:
      return readOne(view, 'want', transfer)
    case KIND.ask:
      return readOne(view, 'ask', transfer)
    case KIND.have:
      return readPieces(view, 'have', transfer)
    case KIND.claim:
      return readPieces(view, 'claim', transfer)
    case KIND.hashes:
      return readHashes(view, buffer, transfer)
    case KIND.chunk:
      return readChunk(view, buffer, transfer)
    case KIND.cancel:
      return readCancel(view, transfer)
    case KIND.done:
      return readPlain(view, 'done', transfer)
    case KIND.ended:
      return readPlain(view, 'ended', transfer)
    case KIND.dropped:
      return readPlain(view, 'dropped', transfer)
    case KIND.offered:
      return readPlain(view, 'offered', transfer)
    case KIND.ping:
      return readToken(view, 'ping', transfer)
    case KIND.pong:
      return readToken(view, 'pong', transfer)
    default:
      return null
  }
}

function readOne(view: DataView, type: 'want' | 'ask', transfer: ItemId): Frame | null {
  const [range, ...more] = readRanges(view) ?? []
  return range && more.length === 0 ? { type, transfer, ...range } : null
}

function readPieces(view: DataView, type: 'have' | 'claim', transfer: ItemId): Frame | null {
  const pieces = readRanges(view)
  return pieces && { type, transfer, pieces }
}

function readRanges(view: DataView): ChunkRange[] | null {
  const count = (view.byteLength - HEADER_BYTES) / RANGE_BYTES
  if (!Number.isInteger(count)) return null
  return Array.from({ length: count }, (_, index) => {
    const at = HEADER_BYTES + index * RANGE_BYTES
    return { first: view.getUint32(at), count: view.getUint32(at + 4) }
  })
}

function readHashes(view: DataView, buffer: ArrayBuffer, transfer: ItemId): Frame | null {
  const count = (view.byteLength - CHUNK_HEADER_BYTES) / HASH_BYTES
  if (!Number.isInteger(count) || count < 1) return null
  const first = view.getUint32(HEADER_BYTES)
  // A view would keep the whole frame in memory.
  const hash = (_: unknown, at: number) =>
    new Uint8Array(
      buffer.slice(CHUNK_HEADER_BYTES + at * HASH_BYTES, CHUNK_HEADER_BYTES + (at + 1) * HASH_BYTES),
    )
  return { type: 'hashes', transfer, first, hashes: Array.from({ length: count }, hash) }
}

function readChunk(view: DataView, buffer: ArrayBuffer, transfer: ItemId): Frame | null {
  if (view.byteLength < CHUNK_HEADER_BYTES) return null
  const first = view.getUint32(HEADER_BYTES)
  return { type: 'chunk', transfer, first, bytes: new Uint8Array(buffer, CHUNK_HEADER_BYTES) }
}

function readCancel(view: DataView, transfer: ItemId): Frame | null {
  const reason = view.byteLength === HEADER_BYTES + 1 ? readReason(view.getUint8(HEADER_BYTES)) : null
  return reason && { type: 'cancel', transfer, reason }
}

function readPlain(
  view: DataView,
  type: 'done' | 'ended' | 'dropped' | 'offered',
  transfer: ItemId,
): Frame | null {
  return view.byteLength === HEADER_BYTES ? { type, transfer } : null
}

function readToken(view: DataView, type: 'ping' | 'pong', token: string): Frame | null {
  return view.byteLength === HEADER_BYTES ? { type, token } : null
}

function readReason(code: number): CancelReason | null {
  const entry = Object.entries(CANCEL_REASONS).find(([, value]) => value === code)
  return entry ? (entry[0] as CancelReason) : null
}

function header(kind: keyof typeof KIND, id: string, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length)
  bytes[0] = KIND[kind]
  writeUuid(bytes, 1, id)
  return bytes
}

function readId(view: DataView): ItemId {
  return readUuid(new Uint8Array(view.buffer, view.byteOffset + 1, ID_BYTES)) as ItemId
}

/** Writes a hyphenated UUID as its 16 bytes. */
export function writeUuid(bytes: Uint8Array, at: number, uuid: string): void {
  const digits = uuid.replaceAll('-', '')
  for (let i = 0; i < ID_BYTES; i++) bytes[at + i] = Number.parseInt(digits.slice(i * 2, i * 2 + 2), 16)
}

/** Reads 16 bytes as a lower-case hyphenated UUID. */
export function readUuid(bytes: Uint8Array): string {
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    digits.slice(12, 16),
    digits.slice(16, 20),
    digits.slice(20),
  ].join('-')
}
