/** Seals signals for one device, and opens each of those that come once (E5). */
import type { DeviceId } from '../protocol/bindings'
import { isEnvelope, readSealedSignal } from '../protocol/sealed-item'
import type { BeamKeys } from './beam-keys'

export class SealedSignals {
  readonly #keys: BeamKeys
  /** The highest number of a signal that came from each page. */
  readonly #heard = new Map<string, number>()

  constructor(keys: BeamKeys) {
    this.#keys = keys
  }

  seal(to: DeviceId, message: unknown): Promise<string> {
    return this.#keys.texts.seal('signal', { from: this.#keys.me, to, message })
  }

  /** Returns null for what is no signal of this device to that one, or came before. */
  async open(from: DeviceId, envelope: unknown): Promise<{ message: unknown } | null> {
    if (!this.#keys.isSealed || !isEnvelope(envelope)) return null
    const opened = await this.#keys.texts.open('signal', envelope)
    // The device begins again once both have the same keys. Waiting here would keep the welcome waiting.
    if (opened.is === 'unknown') this.#keys.texts.seek('signal', envelope)
    const inside = opened.is === 'open' ? readSealedSignal(opened.text) : null
    if (opened.is !== 'open' || !inside || inside.from !== from || inside.to !== this.#keys.me) return null
    const { page, number } = opened.header
    if (number <= (this.#heard.get(page) ?? -1)) return null
    this.#heard.set(page, number)
    return inside
  }
}
