/** Seals and opens texts with the keys of one beam, whatever becomes of the worker that has them. */
import { headerOf, type Kind } from '../crypto/envelope'
import type { BeamId } from '../protocol/bindings'
import type { OpenedText } from '../transport/secrets'
import type { SecretsDoor } from '../transport/secrets-door'

export interface TextKeys {
  beam(): BeamId
  /** The secret of the link, where this device knows it. */
  invite(): string | null
  /** By which this device may come to keys that it has not (E11), to be tried one after the other. */
  readonly ways: readonly (() => Promise<void>)[]
}

export class SealedTexts {
  readonly #secrets: SecretsDoor
  readonly #keys: TextKeys
  /** Keys of which nobody told: they are not looked for again. */
  readonly #unknown = new Set<string>()

  constructor(secrets: SecretsDoor, keys: TextKeys) {
    this.#secrets = secrets
    this.#keys = keys
  }

  /** @throws when this device has no key of the beam, or the worker does not answer */
  seal(kind: Kind, content: unknown): Promise<string> {
    const text = JSON.stringify(content)
    return this.withKeys(() => this.#secrets.seal(this.#keys.beam(), kind, text))
  }

  /** @throws when the worker does not answer */
  open(kind: Kind, envelope: string): Promise<OpenedText> {
    return this.withKeys(() => this.#secrets.open(this.#keys.beam(), kind, envelope))
  }

  /** Opens an envelope. Keys that this device does not know are looked for, once each. @throws when the worker does not answer */
  async openByAnyKey(kind: Kind, envelope: string): Promise<OpenedText> {
    const opened = await this.open(kind, envelope)
    const keyId = headerOf(envelope)?.keyId
    if (opened.is !== 'unknown' || keyId === undefined || this.#unknown.has(keyId)) return opened
    for (const way of this.#keys.ways) {
      await way()
      const again = await this.open(kind, envelope)
      if (again.is !== 'unknown') return again
    }
    this.#unknown.add(keyId)
    return opened
  }

  /** This device has other keys now. Returns whether there were some that it had looked for in vain. */
  forgetUnknown(): boolean {
    const wereAny = this.#unknown.size > 0
    this.#unknown.clear()
    return wereAny
  }

  /** Asks the worker. Where it was replaced, the next one has the keys that were kept. @throws when it does not answer */
  async withKeys<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    try {
      return await ask()
    } catch {
      await this.#secrets.enter(this.#keys.beam(), this.#keys.invite())
      return ask()
    }
  }
}
