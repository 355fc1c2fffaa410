/** Seals and opens texts with the keys of one beam, and looks for keys that this device does not know. */
import { headerOf, type Kind } from '../crypto/envelope'
import type { BeamId } from '../protocol/bindings'
import type { OpenedText } from '../transport/having'
import type { SecretsDoor } from '../transport/secrets-door'
import { putLast } from './put-last'

/** Whether its key is known, this much of an envelope tells: its prefix, and 90 bytes in base64. */
const TELLING_CHARS = 125

/** So many keys are looked for at once, and so many remembered that nobody knew: as many as a beam ever had. */
const MOST_UNKNOWN = 256

/** Asks whether a key is known now. */
type Look = () => Promise<boolean>

export interface TextKeys {
  beam(): BeamId
  /** Resolves once what came until now has been read: keys may be in it. */
  come(): Promise<void>
  /** By which this device may come to keys that it has not (E11), to be tried one after the other. */
  readonly ways: readonly (() => Promise<void>)[]
  /** A key has come that was looked for. */
  onFound(): void
}

export class SealedTexts {
  readonly #secrets: SecretsDoor
  readonly #keys: TextKeys
  /** Keys of which nobody told: they are not asked for again before another device comes. */
  readonly #unknown = new Map<string, Look>()
  /** Keys of which it could not be asked everywhere: they are asked for again when the next envelope names them. */
  readonly #untold = new Map<string, Look>()
  /** Keys that are asked for. */
  readonly #sought = new Map<string, Look>()
  #isSeeking = false

  constructor(secrets: SecretsDoor, keys: TextKeys) {
    this.#secrets = secrets
    this.#keys = keys
  }

  /** @throws when this device has no key of the beam, or the worker does not answer */
  seal(kind: Kind, content: unknown): Promise<string> {
    const text = JSON.stringify(content)
    return this.#secrets.seal(this.#keys.beam(), kind, text)
  }

  /** @throws when the worker does not answer */
  open(kind: Kind, envelope: string): Promise<OpenedText> {
    return this.#secrets.open(this.#keys.beam(), kind, envelope)
  }

  /** Opens an envelope, or looks for its key, for which nothing waits. @throws when the worker does not answer */
  async openOrSeek(kind: Kind, envelope: string): Promise<OpenedText> {
    const opened = await this.open(kind, envelope)
    if (opened.is !== 'unknown' || this.#newKeyOf(envelope) === null) return opened
    await this.#keys.come()
    const again = await this.open(kind, envelope)
    if (again.is === 'unknown') this.seek(kind, envelope)
    return again
  }

  /** Returns the key of an envelope, unless it was looked for before. */
  #newKeyOf(envelope: string): string | null {
    const keyId = headerOf(envelope)?.keyId
    return keyId === undefined || this.#unknown.has(keyId) ? null : keyId
  }

  /**
   * Looks for the key of an envelope that this device does not know, once for each. Nothing waits for that: whoever knows the
   * id of the beam could name a new key with every envelope.
   */
  seek(kind: Kind, envelope: string): void {
    const keyId = this.#newKeyOf(envelope)
    if (keyId === null) return
    this.#untold.delete(keyId)
    const part = envelope.slice(0, TELLING_CHARS)
    const isKnown = async () => (await this.open(kind, part)).is !== 'unknown'
    putLast(this.#sought, keyId, isKnown, MOST_UNKNOWN)
    if (!this.#isSeeking) void this.#seekAll()
  }

  /** Looks for the keys again of which nobody told: another device has come, which may know them (E11). */
  seekAgain(): void {
    for (const [keyId, isKnown] of this.#unknown) putLast(this.#sought, keyId, isKnown, MOST_UNKNOWN)
    this.#unknown.clear()
    if (!this.#isSeeking) void this.#seekAll()
  }

  /** What is to be looked for meanwhile is so together, in the next round. */
  async #seekAll(): Promise<void> {
    this.#isSeeking = true
    while (this.#sought.size > 0) {
      const round = new Map(this.#sought)
      const isTold = await this.#seekIn(round).catch(() => false)
      for (const [keyId, isKnown] of round) {
        putLast(isTold ? this.#unknown : this.#untold, keyId, isKnown, MOST_UNKNOWN)
        this.#sought.delete(keyId)
      }
    }
    this.#isSeeking = false
  }

  /** Returns whether every way has told what it leads to. @throws when the worker does not answer */
  async #seekIn(round: Map<string, Look>): Promise<boolean> {
    let isTold = true
    for (const way of [this.#keys.come, ...this.#keys.ways])
      if (round.size > 0) isTold = (await this.#seekBy(way, round)) && isTold
    return isTold
  }

  /** Returns false where it was not told what this way leads to. */
  async #seekBy(way: () => Promise<void>, round: Map<string, Look>): Promise<boolean> {
    const isTold = await way().then(
      () => true,
      () => false,
    )
    const found = await takeKnown(round)
    for (const keyId of found) this.#sought.delete(keyId)
    if (found.length > 0) this.#keys.onFound()
    return isTold
  }

  /** This device may have other keys now. Resolves to whether any of them had been asked for in vain. */
  async findUnknown(): Promise<boolean> {
    const found = [...(await takeKnown(this.#unknown)), ...(await takeKnown(this.#untold))]
    return found.length > 0
  }
}

/** Takes those out that are known now. */
async function takeKnown(keys: Map<string, Look>): Promise<readonly string[]> {
  const found: string[] = []
  for (const [keyId, isKnown] of keys) if (await isKnown()) found.push(keyId)
  for (const keyId of found) keys.delete(keyId)
  return found
}
