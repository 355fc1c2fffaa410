/**
 * Holds the sinks of interrupted transfers of which nothing outlives the page: in memory, or at a place that the person
 * picked. A later transfer of the file goes on in the same sink.
 */
import type { ItemId } from '../../protocol/bindings'
import { type ChunkRange, ChunkSet } from '../../protocol/chunk-set'
import { chunksOf, wholePieces } from '../../protocol/pieces'
import { rangeBytes } from '../../protocol/receiver'
import type { Found, Sink, SinkFile } from './sink'

interface Held {
  readonly file: SinkFile
  readonly picked: FileSystemFileHandle | null
  readonly sink: Sink
  readonly durable: readonly ChunkRange[]
  readonly isPaused: boolean
}

export class HeldSinks {
  readonly #held = new Map<ItemId, Held>()

  /** Lets a sink be left with what is in it. One whose bytes outlive the page needs no holding. */
  holding(file: SinkFile, picked: FileSystemFileHandle | null, sink: Sink): Sink {
    return sink.part ? sink : this.#withPart({ file, picked, sink, durable: [], isPaused: false })
  }

  #withPart(held: Held): Sink {
    const { file, sink } = held
    let { durable, isPaused } = held
    let isBroken = false
    const breaks = (error: unknown) => {
      isBroken = true
      throw error
    }
    return {
      ...sink,
      write: (position, bytes) => sink.write(position, bytes)?.catch(breaks),
      finish: () => sink.finish().catch(breaks),
      part: {
        before: durable,
        hashes: null,
        get isBroken() {
          return isBroken
        },
        keep: async (now, isPausedNow) => {
          // The rest of a piece tells nothing about the piece where what was there before cannot be read.
          durable = sink.read ? now : chunksOfWhole(now, file.size)
          isPaused = isPausedNow
        },
        leave: async () => {
          if (isBroken || durable.length === 0) return sink.discard()
          this.#held.set(file.id, { ...held, durable, isPaused })
        },
      },
    }
  }

  /** @param picked the place that the person has picked; null for whichever the file waits in */
  find(file: SinkFile, picked: FileSystemFileHandle | null): Extract<Found, { is: 'begun' }> | null {
    const held = this.#held.get(file.id)
    if (!held || !isMeant(held, file, picked)) return null
    const bytes = held.durable.reduce((sum, range) => sum + rangeBytes(range, file.size), 0)
    return { is: 'begun', bytes, isPaused: held.isPaused }
  }

  /** Takes up the sink in which a file waits; null where it waits in none. One at another place is given up. */
  async take(file: SinkFile, picked: FileSystemFileHandle | null): Promise<Sink | null> {
    const held = this.#held.get(file.id)
    if (!held) return null
    this.#held.delete(file.id)
    if (!isMeant(held, file, picked)) {
      // Another handle may be of the same place, whose file is needed then.
      const isAgain = picked !== null && (await held.picked?.isSameEntry(picked))
      await held.sink.discard(!isAgain)
      return null
    }
    return this.#withPart({ ...held, isPaused: false })
  }

  /** Notes whether the person has paused a file that waits. */
  turn(id: ItemId, isPaused: boolean): void {
    const held = this.#held.get(id)
    if (held) this.#held.set(id, { ...held, isPaused })
  }

  /** Removes what waits of an item. Its place is not needed again. */
  async forget(id: ItemId): Promise<void> {
    const held = this.#held.get(id)
    this.#held.delete(id)
    await held?.sink.discard(true)
  }
}

function isMeant(held: Held, { size }: SinkFile, picked: FileSystemFileHandle | null): boolean {
  return held.file.size === size && (picked === null || picked === held.picked)
}

/** Returns the chunks of the pieces of which all are there. */
function chunksOfWhole(durable: readonly ChunkRange[], size: number): readonly ChunkRange[] {
  const chunks = new ChunkSet()
  for (const { first, count } of wholePieces(durable, size))
    for (let piece = first; piece < first + count; piece++) chunks.add(chunksOf(piece, size))
  return chunks.ranges()
}
