/**
 * The devices that were let in without the link and that nobody has compared (E8). All devices of the beam tell each other of them: who
 * joins by the link later could not know otherwise that such a device has the keys.
 */

/** Whoever is in could tell of any number. One alone says that the beam is not verified. */
export const MOST_UNVERIFIED = 64
/** Those that people have compared on this device. One that is forgotten is shown as not verified again. */
const MOST_COMPARED = 256

export class UnverifiedDevices {
  /** Those that this device has let in itself. */
  #letIn: readonly string[] = []
  /** Those of which others have told. */
  #told: readonly string[] = []
  #compared: readonly string[] = []

  get ids(): readonly string[] {
    return atMost([...this.#letIn, ...this.#told])
  }

  get letIn(): readonly string[] {
    return this.#letIn
  }

  get compared(): readonly string[] {
    return this.#compared
  }

  /** This device lets them in unasked, or an earlier page has. */
  add(devices: readonly string[]): void {
    this.#letIn = atMost([...this.#notCompared(devices), ...this.#letIn])
  }

  /** Takes what others tell, or what was kept. What a person here has compared stays so. Returns whether any of it is news. */
  merge(told: readonly string[]): boolean {
    const before = this.ids.length
    this.#told = atMost([...this.#told, ...this.#notCompared(told)])
    return this.ids.length > before
  }

  #notCompared(devices: readonly string[]): readonly string[] {
    return devices.filter((device) => !this.#compared.includes(device))
  }

  /** A person at this device has compared them. */
  compare(devices: readonly string[]): void {
    this.#compared = [...new Set([...this.#compared, ...devices])].slice(-MOST_COMPARED)
    this.drop(devices)
  }

  /** They are compared, or have none of the keys that this device has made. */
  drop(devices: readonly string[]): void {
    this.#letIn = this.#letIn.filter((device) => !devices.includes(device))
    this.dropTold(devices)
  }

  /**
   * Others tell that these have none of the keys that count. It takes away what others have told, and not what this device knows
   * itself: one that it has let in could let in another, which tells that.
   */
  dropTold(devices: readonly string[]): void {
    this.#told = this.#told.filter((device) => !devices.includes(device))
  }
}

function atMost(devices: readonly string[]): readonly string[] {
  return [...new Set(devices)].slice(0, MOST_UNVERIFIED)
}
