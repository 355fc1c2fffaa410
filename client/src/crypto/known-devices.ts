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
  #shutOut: readonly string[] = []

  get keys(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#keys)
  }

  /** Those that were removed. One that was is never handed anything again. */
  get gone(): readonly string[] {
    return this.#gone
  }

  /** Those of them without which this device has changed the keys itself. Of the removal of the others it was only told. */
  get shutOut(): readonly string[] {
    return this.#shutOut
  }

  isRemoved(device: string): boolean {
    return this.#gone.includes(device)
  }

  /** Whether devices are said to be removed that are here, and were not. */
  isContradictedBy(removed: readonly string[], here: readonly string[]): boolean {
    return removed.some((device) => here.includes(device) && !this.isRemoved(device))
  }

  /** Returns null where the key of a device is not known, or the device was removed. */
  keyOf(device: string): Bytes | null {
    const key = this.#keys.get(device)
    return key === undefined ? null : fromBase64Url(key)
  }

  /**
   * A device has said its public key. The first one counts: a device that is in could say one of its own in the name of another, and
   * would be handed keys after its removal. Returns whether that is news.
   */
  learn(device: string, key: string): boolean {
    if (this.isRemoved(device) || this.#keys.has(device)) return false
    this.#keys.set(device, key)
    for (const oldest of [...this.#keys.keys()].slice(0, -MOST_DEVICES)) this.#keys.delete(oldest)
    return true
  }

  /** What this device knows counts before what it is told. */
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

  /** This device has made keys that it hands to none of these, or an earlier page has. */
  shutsOut(devices: readonly string[]): void {
    this.#shutOut = [...new Set([...this.#shutOut, ...devices])].slice(-MOST_REMOVED)
  }
}
