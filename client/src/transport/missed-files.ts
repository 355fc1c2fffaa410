/** Which devices wanted what while it was not here, as after a reload of this page (F17). */
import type { DeviceId, ItemId } from '../protocol/bindings'

/**
 * Of so many devices, and so many files of each, is remembered that they were missed. Any other file goes on when its
 * person asks for it again.
 */
const MOST_MISSED = { devices: 100, files: 1_000 }

export class MissedFiles {
  readonly #missed = new Map<DeviceId, Set<ItemId>>()

  /** A device wants a file that is not here. */
  add(device: DeviceId, id: ItemId): void {
    const missed = this.#missed.get(device) ?? new Set()
    this.#missed.set(device, missed)
    if (missed.size < MOST_MISSED.files) missed.add(id)
    const [oldest] = this.#missed.keys()
    if (oldest !== undefined && this.#missed.size > MOST_MISSED.devices) this.#missed.delete(oldest)
  }

  /** It waits for the file no more. */
  remove(device: DeviceId, id: ItemId): void {
    this.#missed.get(device)?.delete(id)
  }

  /** The device may no longer be in the beam. */
  forget(device: DeviceId): void {
    this.#missed.delete(device)
  }

  has(device: DeviceId, id: ItemId): boolean {
    return this.of(device).has(id)
  }

  of(device: DeviceId): ReadonlySet<ItemId> {
    return this.#missed.get(device) ?? new Set()
  }
}
