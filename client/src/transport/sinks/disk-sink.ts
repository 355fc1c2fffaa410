/** Writes one received file in the browser's own disk space, in place, through a synchronous handle. */
import { CHUNK_BYTES } from '../../protocol/bindings'
import type { ChunkRange } from '../../protocol/chunk-set'
import type { PieceHash } from '../../protocol/piece-checks'
import { NoRoom, type Sink, type SinkFile } from './sink'

// Synchronous handles exist only in workers, so the DOM types lack them.
declare global {
  interface FileSystemFileHandle {
    createSyncAccessHandle(): Promise<SyncAccessHandle>
  }
}

export interface SyncAccessHandle {
  getSize(): number
  read(bytes: Uint8Array, options: { at: number }): number
  write(bytes: Uint8Array, options: { at: number }): number
  truncate(length: number): void
  flush(): void
  close(): void
}

/** Room that is reserved for a file and by which it has not grown yet. */
export interface Reserved {
  take(bytes: number): void
  end(): void
}

/** How the file is entered in the journal and removed. */
export interface DiskPlace {
  /** @param durable the chunks that are there; null when the file is complete */
  enter(durable: readonly ChunkRange[] | null, isPaused: boolean): Promise<void>
  remove(): Promise<void>
  keepHashes(told: ReadonlyMap<number, PieceHash>): void
}

/** What an earlier page has written of a file, and what it was told of its hashes. */
export interface DiskPart {
  readonly durable: readonly ChunkRange[]
  readonly told: ReadonlyMap<number, PieceHash>
}

/**
 * A file that meets a full disk gives so much of it back: the journal needs room, and so do the browser's own databases. One of them
 * that cannot write makes Chromium 156 delete all that it has of the site, keys and files included. Less than a window (F4), as the
 * chunks are asked for again.
 */
const GIVEN_BACK_BYTES = 8 * 1024 * 1024

export function diskSink(
  file: SinkFile,
  handle: FileSystemFileHandle,
  access: SyncAccessHandle,
  reserved: Reserved,
  place: DiskPlace,
  before: DiskPart,
): Sink {
  let isKept = false
  let isClosed = false
  let length = access.getSize()
  /** The last entry under way. Those before it have ended by then: transactions on one table keep their order. */
  let entering = Promise.resolve()
  const enter = (durable: readonly ChunkRange[] | null, isPaused: boolean) => {
    const entered = place.enter(durable, isPaused)
    entering = entered.catch(() => {})
    return entered
  }
  const giveBack = () => {
    const shorter = Math.max(0, length - GIVEN_BACK_BYTES)
    access.truncate(shorter)
    length = shorter
  }
  const close = () => {
    isClosed = true
    access.close()
    reserved.end()
  }
  return {
    get isKept() {
      return isKept
    },
    read(position, length) {
      const bytes = new Uint8Array(length)
      return bytes.subarray(0, access.read(bytes, { at: position }))
    },
    part: {
      before: before.durable,
      isBroken: false,
      hashes: {
        before: before.told,
        keep(told) {
          if (!isClosed) place.keepHashes(told)
        },
      },
      async keep(durable, isPaused) {
        if (isClosed) return
        access.flush()
        // Without an entry the part is there for this page alone.
        await enter(within(durable, length, file.size), isPaused).catch(() => {})
      },
      async leave() {
        close()
        await entering
      },
    },
    write(position, bytes) {
      let isWritten = false
      try {
        isWritten = access.write(bytes, { at: position }) === bytes.byteLength
      } finally {
        if (!isWritten) giveBack()
      }
      if (!isWritten) throw new NoRoom({ reason: 'diskFull' })
      const end = Math.max(length, position + bytes.byteLength)
      reserved.take(end - length)
      length = end
    },
    async finish() {
      access.flush()
      close()
      // Without an entry the file is there for this tab alone.
      isKept = await enter(null, false).then(
        () => true,
        () => false,
      )
      // A slice sets the type, and its bytes stay on the disk.
      return (await handle.getFile()).slice(0, file.size, file.type)
    },
    async discard() {
      close()
      await entering
      await place.remove()
    },
  }
}

/** Returns the chunks of a file of which it has every byte when it is so long. */
function within(ranges: readonly ChunkRange[], length: number, size: number): readonly ChunkRange[] {
  if (length >= size) return ranges
  const end = Math.floor(length / CHUNK_BYTES)
  return ranges.flatMap(({ first, count }) =>
    first < end ? [{ first, count: Math.min(count, end - first) }] : [],
  )
}
