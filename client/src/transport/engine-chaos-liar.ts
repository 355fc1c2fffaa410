/** For tests: a device without an engine, which says whatever harms. */
import { CHUNK_BYTES, type DeviceId, type ItemId } from '../protocol/bindings'
import { type CancelReason, chunkFrame, decodeFrame, encodeFrame, type Frame } from '../protocol/frames'
import { HASH_BYTES } from '../protocol/piece-checks'
import { chunkCount } from '../protocol/receiver'

/** A file of which the truth is known. */
export interface SharedFile {
  readonly id: ItemId
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly owner: DeviceId
}

/** How it answers what is wanted of it. */
export const MANNERS = [
  'says nothing',
  'gives garbage',
  'gives frames of a wrong size',
  'gives chunks beyond the end',
  'gives one wrong chunk of each want',
  'gives what is right',
  'says that it still reads',
  'has it no more',
  'does all of it',
] as const
export type Manner = (typeof MANNERS)[number]

export const CLAIMS = [
  'want',
  'ask',
  'have',
  'claim',
  'hashes',
  'chunk',
  'stub',
  'sign',
  'done',
  'cancel',
  'ended',
  'dropped',
  'offered',
  'ping',
  'junk',
] as const

/** A frame that nobody asked for. */
export interface Lie {
  readonly says: (typeof CLAIMS)[number]
  /** The number of the file; one that is too high names a file that nobody has. */
  readonly file: number
  readonly first: number
  readonly count: number
  readonly reason: CancelReason
}

const UNKNOWN = 'ffffffff-ffff-4fff-8fff-ffffffffffff' as ItemId
/** Chunks in one frame of an honest device. */
const FRAME_CHUNKS = 4

export class Liar {
  constructor(
    readonly id: DeviceId,
    readonly files: readonly SharedFile[],
    readonly manner: Manner,
    readonly random: () => number,
  ) {}

  /** Returns its answers to a frame. */
  answers(buffer: ArrayBuffer): readonly Uint8Array<ArrayBuffer>[] {
    const frame = decodeFrame(buffer)
    const file = this.files.find(({ id }) => frame && 'transfer' in frame && id === frame.transfer)
    return frame?.type === 'want' && file ? this.#gives(file, frame) : []
  }

  #gives(file: SharedFile, want: Extract<Frame, { type: 'want' }>): readonly Uint8Array<ArrayBuffer>[] {
    const { id, bytes } = file
    const manner =
      this.manner === 'does all of it'
        ? (MANNERS[Math.floor(this.random() * (MANNERS.length - 1))] ?? 'says nothing')
        : this.manner
    const wrong = (first: number, length: number) => chunkFrame(id, first, new Uint8Array(length).fill(0xee))
    switch (manner) {
      case 'gives garbage':
        return framesOf(file, want).map(({ first, body }) => wrong(first, body.byteLength))
      case 'gives one wrong chunk of each want':
        return [wrong(want.first, sizeOf(bytes, want.first))]
      case 'gives what is right':
        return framesOf(file, want).map(({ first, body }) => chunkFrame(id, first, body))
      case 'gives frames of a wrong size':
        return [wrong(want.first, CHUNK_BYTES - 1), wrong(want.first, 3 * CHUNK_BYTES + 1)]
      case 'gives chunks beyond the end':
        return [wrong(chunkCount(bytes.byteLength), CHUNK_BYTES), wrong(want.first, 15 * CHUNK_BYTES)]
      case 'says that it still reads':
        return [wrong(want.first, 0)]
      case 'has it no more':
        return [encodeFrame({ type: 'cancel', transfer: id, reason: 'gone' })]
      default:
        return []
    }
  }

  /** Returns the frame of a lie. */
  says({ says, file: number, first, count, reason }: Lie): Uint8Array<ArrayBuffer> {
    const transfer = this.files[number]?.id ?? UNKNOWN
    switch (says) {
      case 'want':
      case 'ask':
        return encodeFrame({ type: says, transfer, first, count })
      case 'have':
      case 'claim':
        return encodeFrame({ type: says, transfer, pieces: count === 0 ? [] : [{ first, count }] })
      case 'hashes':
        return encodeFrame({ type: 'hashes', transfer, first, hashes: lies(Math.min(count, 20) + 1) })
      case 'chunk':
        return chunkFrame(transfer, first, new Uint8Array((1 + (count % FRAME_CHUNKS)) * CHUNK_BYTES))
      case 'stub':
        return chunkFrame(transfer, first, new Uint8Array(count % CHUNK_BYTES))
      case 'sign':
        return chunkFrame(transfer, first, new Uint8Array())
      case 'cancel':
        return encodeFrame({ type: 'cancel', transfer, reason })
      case 'ping':
        return encodeFrame({ type: 'ping', token: transfer })
      case 'junk':
        return Uint8Array.from({ length: count % 40 }, () => Math.floor(this.random() * 256))
      default:
        return encodeFrame({ type: says, transfer })
    }
  }
}

const lies = (count: number) => Array.from({ length: count }, (_, at) => new Uint8Array(HASH_BYTES).fill(at))

const sizeOf = ({ byteLength }: Uint8Array, chunk: number) =>
  Math.min(CHUNK_BYTES, Math.max(0, byteLength - chunk * CHUNK_BYTES))

/** The frames in which an honest device would answer a `want`. */
function framesOf({ bytes }: SharedFile, { first, count }: { first: number; count: number }) {
  const frames: { first: number; body: Uint8Array }[] = []
  const end = Math.min(first + count, chunkCount(bytes.byteLength))
  for (let at = first; at < end; at += FRAME_CHUNKS) {
    const to = Math.min(end, at + FRAME_CHUNKS)
    frames.push({ first: at, body: bytes.subarray(at * CHUNK_BYTES, to * CHUNK_BYTES) })
  }
  return frames
}
