/** Seals and opens texts with the keys of one beam, whatever becomes of the worker that has them. */
import { headerOf, type Kind } from '../crypto/envelope'
import type { BeamId } from '../protocol/bindings'
import type { OpenedText } from '../transport/secrets'
import type { SecretsDoor } from '../transport/secrets-door'

export interface TextKeys {
  beam(): BeamId
  /** The secret of the link, where this device knows it. */
  invite(): string | null
  /** Asks other devices for keys that this one has not (E11). Resolves once one has told them, or none does in time. */
  learn(): Promise<void>
}

export class SealedTexts {
  readonly #secrets: SecretsDoor
  readonly #keys: TextKeys
  /** Keys of which nobody told: they are not asked for again. */
  readonly #unknown = new Set<string>()

  constructor(secrets: SecretsDoor, keys: TextKeys) {
    this.#secrets = secrets
    this.#keys = keys
  }

  /** @throws when this device has no key of the beam, or the worker does not answer */
  seal(kind: Kind, content: unknown): Promise<string> {
    const text = JSON.stringify(content)
    return this.#withKeys(() => this.#secrets.seal(this.#keys.beam(), kind, text))
  }

  /** @throws when the worker does not answer */
  open(kind: Kind, envelope: string): Promise<OpenedText> {
    return this.#withKeys(() => this.#secrets.open(this.#keys.beam(), kind, envelope))
  }

  /** Opens an envelope. Keys that this device does not know are asked for, once each. @throws when the worker does not answer */
  async openByAnyKey(kind: Kind, envelope: string): Promise<OpenedText> {
    const opened = await this.open(kind, envelope)
    const keyId = headerOf(envelope)?.keyId
    if (opened.is !== 'unknown' || keyId === undefined || this.#unknown.has(keyId)) return opened
    await this.#keys.learn()
    const again = await this.open(kind, envelope)
    if (again.is === 'unknown') this.#unknown.add(keyId)
    return again
  }

  /** Where the worker was replaced, the next one has the keys that were kept. */
  async #withKeys<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    try {
      return await ask()
    } catch {
      await this.#secrets.enter(this.#keys.beam(), this.#keys.invite())
      return ask()
    }
  }
}
