/**
 * The devices that were let in without the link and that nobody has compared (E8). All devices of the beam tell each other of them: who
 * joins by the link later could not know otherwise that such a device has the keys.
 */

/** Whoever is in could tell of any number. One alone says that the beam is not verified. */
export const MOST_UNVERIFIED = 64
/** Those that people have compared on this device. One that is forgotten is shown as not verified again. */
const MOST_COMPARED = 256

export class UnverifiedDevices {
  #ids: readonly string[] = []
  #compared: readonly string[] = []

  get ids(): readonly string[] {
    return this.#ids
  }

  get compared(): readonly string[] {
    return this.#compared
  }

  /** This device lets one in unasked. */
  add(device: string): void {
    if (!this.#compared.includes(device)) this.#take([device, ...this.#ids])
  }

  /** Takes what others tell, or what was kept. What a person here has compared stays so. Returns whether any of it is news. */
  merge(told: readonly string[]): boolean {
    const before = this.#ids
    this.#take([...before, ...told.filter((device) => !this.#compared.includes(device))])
    return this.#ids.length > before.length
  }

  #take(ids: readonly string[]): void {
    this.#ids = [...new Set(ids)].slice(0, MOST_UNVERIFIED)
  }

  /** A person at this device has compared them. */
  compare(devices: readonly string[]): void {
    this.#compared = [...new Set([...this.#compared, ...devices])].slice(-MOST_COMPARED)
    this.drop(devices)
  }

  /** They are compared, or have none of the keys that count. */
  drop(devices: readonly string[]): void {
    this.#ids = this.#ids.filter((device) => !devices.includes(device))
  }
}
