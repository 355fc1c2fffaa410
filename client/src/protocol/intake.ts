/**
 * The files wanted from one device: a few at a time, with one window for all of them (F4). A file that comes from
 * several devices would be in the intake of each.
 */
import { WINDOW_BYTES } from './bindings'
import type { ChunkRange } from './chunk-set'
import type { LinkKey, Receiver } from './receiver'

/** Files wanted from one device at the same time (F4); the others wait their turn. */
const MOST_AT_ONCE = 3

/** An object with the receiving end of a transfer. */
export interface Receives {
  readonly receiver: Receiver
}

export class Intake<T extends Receives> {
  readonly #active = new Set<T>()

  /** Whether another file may begin. */
  get hasTurn(): boolean {
    return this.#active.size < MOST_AT_ONCE
  }

  /** Bytes wanted and not yet durable, over all files. */
  get outstanding(): number {
    let bytes = 0
    for (const { receiver } of this.#active) bytes += receiver.outstanding
    return bytes
  }

  begin(transfer: T): void {
    this.#active.add(transfer)
  }

  end(transfer: T): void {
    this.#active.delete(transfer)
  }

  /**
   * Returns the next chunks to want on a link, or null when all are asked for or the window is full. The file with the
   * fewest bytes under way goes first, so files share the window evenly and a single file gets all of it.
   * @param isReady whether a file's bytes could be written now
   */
  want(link: LinkKey, isReady: (transfer: T) => boolean): { transfer: T; range: ChunkRange } | null {
    const room = WINDOW_BYTES - this.outstanding
    const ready = [...this.#active].filter(isReady)
    ready.sort((a, b) => a.receiver.outstanding - b.receiver.outstanding)
    for (const transfer of ready) {
      const range = transfer.receiver.want(link, room)
      if (range) return { transfer, range }
    }
    return null
  }

  /** Whether chunks are still expected on a link. */
  isWaitingOn(link: LinkKey): boolean {
    for (const { receiver } of this.#active) if (receiver.isWaitingOn(link)) return true
    return false
  }

  /** Makes everything expected on a link that is gone or silent wanted again (F6). */
  lost(link: LinkKey): void {
    for (const { receiver } of this.#active) receiver.lost(link)
  }
}
