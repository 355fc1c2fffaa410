/**
 * Tells devices the hashes of the pieces of a file that this device has shared (F19): each as soon as it is made, and those
 * that are known to one that begins a part at a time, because all of a large file's would overflow its link. A link that is too
 * slow for that is told the rest once it has room.
 */
import type { Frame } from '../protocol/frames'
import type { PieceHash } from '../protocol/piece-checks'
import { pieceCount } from '../protocol/pieces'
import type { OfferedFile } from './offered-file'
import type { Addressee, Outgoing } from './outgoing'

/** Hashes in one frame. With it a frame is within the smallest that a device takes (F8). */
const MOST_HASHES = 1_000
/** While more bytes than this wait to be said to a device, it is told no hash: about as many as one frame of hashes has. */
const MOST_WAITING_BYTES = 32 * 1024
/** Pieces that are read for one question. */
const MOST_READ = 64

export class PieceHashes {
  /** The devices for which pieces of a file are being read. A read that never ends holds up no other file. */
  readonly #asking = new WeakMap<OfferedFile, Set<Addressee>>()

  /** A piece was hashed. */
  made(receiving: Iterable<Outgoing>, piece: number, hash: PieceHash): void {
    for (const outgoing of receiving) if (!outgoing.hasEnded) say(outgoing, piece, [hash])
  }

  /** Tells a device the next of the hashes that it was not told yet. Called when it begins, and several times a second. */
  tell(outgoing: Outgoing): void {
    const { file, told } = outgoing
    if (told.size >= file.hashes.size) return
    const all = { first: 0, count: pieceCount(file.size) }
    for (const { first, count } of told.missing(all)) {
      const run = runOf(file.hashes, first, first + count)
      if (run) return say(outgoing, run.first, run.hashes)
    }
  }

  /**
   * A device asks for the hashes of pieces. The first of them that are not known are read.
   * @param outgoing the transfer to it
   * @returns whether all of these could be read
   */
  async asked(outgoing: Outgoing, { first, count }: Extract<Frame, { type: 'ask' }>): Promise<boolean> {
    const { file, to } = outgoing
    const asking = this.#asking.get(file) ?? new Set()
    if (asking.has(to)) return true
    this.#asking.set(file, asking.add(to))
    const end = Math.min(first + Math.min(count, MOST_HASHES), pieceCount(file.size))
    try {
      if (!(await readUnknown(file, first, end))) return false
    } finally {
      asking.delete(to)
    }
    for (let at = first; at < end; ) {
      const run = runOf(file.hashes, at, end)
      if (!run) break
      say(outgoing, run.first, run.hashes)
      at = run.first + run.hashes.length
    }
    return true
  }
}

/** Reads the first pieces from `first` to `end` whose hashes are not known. Returns whether all of these could be read. */
async function readUnknown(file: OfferedFile, first: number, end: number): Promise<boolean> {
  let left = MOST_READ
  for (let piece = first; piece < end && left > 0; piece++) {
    if (file.hashes.has(piece)) continue
    left -= 1
    if (!(await file.piece(piece))) return false
  }
  return true
}

/** What is not said here is told later, as is all that is not known to be told. */
function say(outgoing: Outgoing, first: number, hashes: readonly PieceHash[]): void {
  if (outgoing.to.unsaid > MOST_WAITING_BYTES) return
  outgoing.told.add({ first, count: hashes.length })
  outgoing.to.say({ type: 'hashes', transfer: outgoing.id, first, hashes })
}

/** Returns the first hashes in a row of the pieces from `from` to `end`, as many as a frame takes; null for none. */
function runOf(known: ReadonlyMap<number, PieceHash>, from: number, end: number) {
  let first = from
  while (first < end && !known.has(first)) first++
  const hashes: PieceHash[] = []
  for (let piece = first; piece < end && hashes.length < MOST_HASHES; piece++) {
    const hash = known.get(piece)
    if (!hash) break
    hashes.push(hash)
  }
  return hashes.length > 0 ? { first, hashes } : null
}
