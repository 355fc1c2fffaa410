/** The places where received bytes are written. */
import type { BeamId, ItemId } from '../../protocol/bindings'
import type { ChunkRange } from '../../protocol/chunk-set'
import type { PieceHash } from '../../protocol/piece-checks'
import type { TransferFailure } from '../../protocol/transfer-failure'
import type { UnfinishedFile } from '../../protocol/unfinished-file'

export interface Sink {
  /** Whether the finished file outlives the page. */
  readonly isKept: boolean
  /** How a later page, or a later transfer, goes on with an unfinished file; null where none can. */
  readonly part: Part | null
  /** Reads bytes that are durable, until the file is finished; null where that cannot be. */
  readonly read: ((position: number, length: number) => Uint8Array<ArrayBuffer>) | null
  /** Writes at a byte position. Resolves, or returns, once the bytes are durable. */
  write(position: number, bytes: Uint8Array<ArrayBuffer>): Promise<void> | void
  /** Completes the file and returns it; null when it went to a file that the person picked. */
  finish(): Promise<Blob | null>
  /**
   * Removes what was written, before or after the end.
   * @param isOver whether the place is not needed again, as it is for a transfer that was interrupted
   */
  discard(isOver?: boolean): Promise<void>
}

/** The part of a file that waits on the disk, or in a sink that is held for this page. */
export interface Part {
  /** The chunks that were there when the sink opened, from an earlier page or transfer. */
  readonly before: readonly ChunkRange[]
  /** Whether nothing can go on with it any more: a stream takes nothing more after an error. */
  readonly isBroken: boolean
  /** Where the hashes of its pieces stay; null where nothing outlives the page. */
  readonly hashes: PartHashes | null
  /**
   * Lets a later one go on from these chunks, whatever happens to this one. All of them must be written.
   * @param isPaused whether it is to wait for the person
   */
  keep(durable: readonly ChunkRange[], isPaused: boolean): Promise<void>
  /** Leaves the file to a later one, with what was kept last. */
  leave(): Promise<void>
}

/** What the device that shared a file told of its hashes (F19). A later page may need it while that device is away. */
export interface PartHashes {
  /** What an earlier page was told, by piece. */
  readonly before: ReadonlyMap<number, PieceHash>
  keep(told: ReadonlyMap<number, PieceHash>): void
}

/** The description of a file that will be received. */
export interface SinkFile {
  readonly id: ItemId
  /** In bytes. */
  readonly size: number
  readonly type: string
  /** The name that its item gives it, and the beam of the item: what a person knows it by. */
  readonly name: string
  readonly beam: BeamId
}

/** What an earlier page, or this one, has received of a file. */
export type Found =
  | { readonly is: 'complete'; readonly file: Blob }
  /** `open` goes on with it. `isPaused`: the person here has paused it. */
  | { readonly is: 'begun'; readonly bytes: number; readonly isPaused: boolean }

/** A place where received files stay until their item is gone. */
export interface FileStore {
  /**
   * Opens a file that is to be received, or goes on with one that no other tab receives.
   * @throws NoRoom when there is no room for the file, or none for the rest of one that was begun (`diskFull`), which stays
   * as it is; PartUnopened; any other error when the store cannot be used here
   */
  open(file: SinkFile): Promise<Sink>
  /** Returns null when nothing of the file is here, or when another tab receives it now. */
  find(file: SinkFile): Promise<Found | null>
  /** Notes whether the person has paused a file of which a part is here, and which is not open. */
  turn(id: ItemId, isPaused: boolean): Promise<void>
  /** Returns the files of which a part is here, of all beams and tabs. */
  unfinished(): Promise<readonly UnfinishedFile[]>
  /** The beam of an item was left: frees what does not outlive the page. */
  leave(id: ItemId): Promise<void>
  /** Removes all files of an item, complete or not. */
  forget(id: ItemId): Promise<void>
}

/** Opens the place of a file: the one that the person has picked, or the best that there is. */
export type OpenSink = (file: SinkFile, picked: FileSystemFileHandle | null) => Promise<Sink>

/** All that this device has received, in whatever store. */
export interface ReceivedBytes extends Pick<FileStore, 'turn' | 'unfinished' | 'leave' | 'forget'> {
  readonly open: OpenSink
  /**
   * Returns what was received of a file before; null at once where nothing can be.
   * @param picked the place that the person has picked for it: then only of what was received there
   */
  find(file: SinkFile, picked: FileSystemFileHandle | null): Promise<Found | null> | null
}

/** A part of the file is here and cannot be opened now, as while another page still lets go of it. It stays as it is. */
export class PartUnopened extends Error {
  constructor(cause: unknown) {
    super('', { cause })
  }
}

/** There is no room for the file. */
export class NoRoom extends Error {
  constructor(readonly why: TransferFailure) {
    super(why.reason)
  }
}
