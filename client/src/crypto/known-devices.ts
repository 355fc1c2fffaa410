/** The devices of a beam: the public keys of those that are in, and which were removed. */
import { type Bytes, fromBase64Url } from './bytes'

/** Removed devices that are remembered: as many as the server does (S25). */
const MOST_REMOVED = 1_000
/** As many as are here (S17), and as many again that are away. */
const MOST_DEVICES = 200

export class KnownDevices {
  /** By id, those that were heard of last at the end. */
  #keys = new Map<string, string>()
  #gone: readonly string[] = []

  get keys(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#keys)
  }

  /** Those that were removed. One that was is never handed anything again. */
  get gone(): readonly string[] {
    return this.#gone
  }

  isRemoved(device: string): boolean {
    return this.#gone.includes(device)
  }

  /** Returns null where the key of a device is not known, or the device was removed. */
  keyOf(device: string): Bytes | null {
    const key = this.#keys.get(device)
    return key === undefined ? null : fromBase64Url(key)
  }

  /** A device has said its public key. Returns whether that is news. */
  learn(device: string, key: string): boolean {
    if (this.isRemoved(device) || this.#keys.get(device) === key) return false
    this.#keys.delete(device)
    this.#keys.set(device, key)
    for (const oldest of [...this.#keys.keys()].slice(0, -MOST_DEVICES)) this.#keys.delete(oldest)
    return true
  }

  /** What this device has heard itself counts before what it is told. */
  merge(devices: Readonly<Record<string, string>>, removed: readonly string[]): void {
    this.#keys = new Map([...Object.entries(devices), ...this.#keys].slice(-MOST_DEVICES))
    this.forget(removed)
  }

  /** The devices were removed. */
  forget(removed: readonly string[]): void {
    const fresh = removed.filter((device) => !this.#gone.includes(device))
    this.#gone = [...this.#gone, ...fresh].slice(-MOST_REMOVED)
    for (const device of this.#gone) this.#keys.delete(device)
  }
}
