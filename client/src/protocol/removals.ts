/** The devices that this page asks the server to remove from the beam (S25). */
import type { Device, DeviceId, ErrorCode } from './bindings'

export class Removals {
  /** A device is `gone` once the server shows it no more, whatever it says of the removal. */
  readonly #states = new Map<DeviceId, 'asked' | 'gone'>()

  ask(device: DeviceId): void {
    this.#states.set(device, 'asked')
  }

  /** Those that are still here. */
  get asked(): readonly DeviceId[] {
    return [...this.#states].flatMap(([device, state]) => (state === 'asked' ? [device] : []))
  }

  /** Whether this page has asked to remove one of these devices, and was not refused. */
  has(devices: readonly DeviceId[]): boolean {
    return devices.some((device) => this.#states.has(device))
  }

  /** Returns the devices that are gone since: their person believes them removed, also where the server does not say so. */
  listed(here: readonly Device[]): readonly DeviceId[] {
    const isHere = (device: DeviceId) => here.some(({ device_id }) => device_id === device)
    const gone = this.asked.filter((device) => !isHere(device))
    for (const device of this.#states.keys()) this.#states.set(device, isHere(device) ? 'asked' : 'gone')
    return gone
  }

  /** The server says that the devices were removed. Returns whether any of them was not gone. */
  removed(devices: readonly DeviceId[]): boolean {
    const isNews = devices.some((device) => this.#states.get(device) !== 'gone')
    for (const device of devices) if (this.#states.has(device)) this.#states.set(device, 'gone')
    return isNews
  }

  /** The server refuses something that concerns a device. Returns whether that answers its removal. */
  refused(device: DeviceId, why: ErrorCode): boolean {
    if (this.#states.get(device) !== 'asked' || why === 'relay_full') return false
    if (why === 'device_gone') this.#states.set(device, 'gone')
    else this.#states.delete(device)
    return true
  }
}
