/**
 * Gives other devices the pieces of a file that this device receives or has received, and tells them which those are
 * (F20, F21). They want them as they want those of the device that shared the file.
 */
import type { ItemId } from '../protocol/bindings'
import { type ChunkRange, ChunkSet } from '../protocol/chunk-set'
import type { FileSeal } from '../protocol/item'
import { PIECE_CHUNKS, pieceCount } from '../protocol/pieces'
import { blobSource, OfferedFile, type PieceMemory, type Source } from './offered-file'
import type { RemoteDevice } from './remote-device'

/** A file that can be passed on. */
export interface Passable extends Source {
  /** The pieces that are here and right; none while they cannot be read. */
  readonly pieces: readonly ChunkRange[]
}

/** Hands the wanted chunks to the links. */
export interface Passes {
  /** @param within returns those of some chunks that can be given */
  pass(id: ItemId, file: OfferedFile, within: (range: ChunkRange) => readonly ChunkRange[]): void
  unpass(id: ItemId): void
}

interface Passed {
  readonly file: Passable
  /** The devices that receive the file or have it, and the pieces that each was told of. */
  readonly told: Map<RemoteDevice, ChunkSet>
}

/**
 * Smaller files are not passed on: they are over before the others know who has what, and of hundreds that come together
 * every device would tell every other.
 */
const LEAST_BYTES = 4 * 1024 * 1024
/** Devices that are told about one file. The bandwidth of so many is enough for any number of others. */
const MOST_TOLD = 64
/** Ranges in one `have`: within the smallest frame that a device takes (F8). */
const MOST_RANGES = 4_000

/** Whether a file may be given to others at all (F20). */
export function isPassedOn({ size, isPrivate = false }: { size: number; isPrivate?: boolean }): boolean {
  return size >= LEAST_BYTES && !isPrivate
}

/** Returns a file that an earlier page has received, and found to be right. */
export function wholeOf(file: Blob, seal: FileSeal | undefined): Passable {
  return { ...blobSource(file, seal), pieces: [{ first: 0, count: pieceCount(file.size) }] }
}

export class PassingOn {
  readonly #files = new Map<ItemId, Passed>()
  #isAllowed = true

  constructor(
    readonly sending: Passes,
    readonly memory: PieceMemory,
  ) {}

  /** Whether this device may give: it may be on its battery, or its person does not want it (F21). */
  allow(isAllowed: boolean): void {
    if (this.#isAllowed === isAllowed) return
    this.#isAllowed = isAllowed
    for (const [id, passed] of this.#files) {
      if (isAllowed) this.#offer(id, passed)
      else this.sending.unpass(id)
      // Once it is allowed again, they are told anew.
      for (const device of passed.told.keys()) passed.told.set(device, new ChunkSet())
    }
    this.look()
  }

  /** A file is here, or begins to be received. */
  add(id: ItemId, file: Passable): void {
    const before = this.#files.get(id)
    // It goes on after a pause: those who are told of it, and get it, notice nothing.
    if (before?.file === file) return
    const passed = { file, told: before?.told ?? new Map() }
    this.#files.set(id, passed)
    if (this.#isAllowed) this.#offer(id, passed)
  }

  #offer(id: ItemId, { file }: Passed): void {
    const within = ({ first, count }: ChunkRange) => {
      const asked = new ChunkSet()
      asked.add({ first, count })
      return file.pieces.flatMap((range) =>
        asked.within({ first: range.first * PIECE_CHUNKS, count: range.count * PIECE_CHUNKS }),
      )
    }
    this.sending.pass(id, new OfferedFile(file, this.memory, null), within)
  }

  /** The file can be passed on no more. */
  remove(id: ItemId): void {
    if (this.#files.delete(id)) this.sending.unpass(id)
  }

  /** Tells a device that this one receives a file. If it does too, or has the file, it says which pieces it has. */
  announce(id: ItemId, device: RemoteDevice): void {
    device.say({ type: 'have', transfer: id, pieces: [] })
  }

  /**
   * A device receives the file or has it.
   * @param isNew whether it has only just begun, or begins anew, and knows nothing of what is here
   */
  heard(id: ItemId, device: RemoteDevice, isNew: boolean): void {
    const passed = this.#files.get(id)
    if (!passed) return
    const isKnown = passed.told.has(device)
    if (isKnown && !isNew) return
    if (!isKnown && passed.told.size >= MOST_TOLD) return
    passed.told.set(device, new ChunkSet())
    // It has to know of this device, which may have begun later.
    if (!isKnown) this.announce(id, device)
    this.#tell(id, passed, device)
  }

  #tell(id: ItemId, { file, told }: Passed, device: RemoteDevice): void {
    const known = told.get(device)
    if (!known || !this.#isAllowed) return
    const pieces = file.pieces.flatMap((range) => known.missing(range)).slice(0, MOST_RANGES)
    if (pieces.length === 0 || !device.say({ type: 'have', transfer: id, pieces })) return
    for (const range of pieces) known.add(range)
  }

  /** Tells the devices what is here since the last look. Called several times a second while anything moves. */
  look(): void {
    for (const [id, passed] of this.#files) {
      for (const device of passed.told.keys()) if (device.isHere) this.#tell(id, passed, device)
    }
  }

  /** Forgets a device that left. */
  left(device: RemoteDevice): void {
    for (const { told } of this.#files.values()) told.delete(device)
  }
}
