/**
 * The versions of sealed items that this page has seen. An item is sealed once, and what the server sends again of earlier
 * times counts no more: a version that was replaced, or the proof of a deletion that was used (E3, E4).
 */
import { envelopeName, headerNamed } from '../crypto/envelope'
import type { ItemId } from '../protocol/bindings'
import { equalJson } from '../protocol/json'
import type { SealedContent } from '../protocol/sealed-item'

/** A version of an item, as it went or came. */
export interface Version {
  /** The message as the server has it. */
  readonly sealed: string
  readonly content: SealedContent
  /** The last message of the item that the server has sent; null for none. */
  readonly came: string | null
}

export class ItemVersions {
  readonly #versions = new Map<ItemId, Version>()
  /** The items that are sealed, opened or not. */
  readonly #sealed = new Set<ItemId>()
  /** The items that came in clear text, and that no other device has sealed since. */
  readonly #clear = new Set<ItemId>()
  /** Names of envelopes that came, and were replaced by others that came: each with how many were replaced before it. */
  readonly #replaced = new Map<string, number>()
  /** Proofs of deletions that were used. */
  readonly #proofs = new Set<string>()
  /** The items that a device of the beam has deleted, as is proven. */
  readonly #deleted = new Set<ItemId>()

  find(id: ItemId): Version | undefined {
    return this.#versions.get(id)
  }

  /** Returns the items that a message was of last. */
  sealedAs(message: unknown): readonly ItemId[] {
    return [...this.#versions].filter(([, { sealed }]) => sealed === message).map(([id]) => id)
  }

  /** An envelope of the item was here, whether it opens or not. */
  sawSealed(id: ItemId): void {
    this.#sealed.add(id)
  }

  isSealed(id: ItemId): boolean {
    return this.#sealed.has(id)
  }

  /** The item came in clear text: where this device seals it, it stays one that the server could have made up. */
  sawClear(id: ItemId): void {
    this.#clear.add(id)
  }

  wasClear(id: ItemId): boolean {
    return this.#clear.has(id)
  }

  /** The item goes on in clear text, by a device of the beam. */
  forget(id: ItemId): void {
    this.#sealed.delete(id)
    this.#versions.delete(id)
  }

  /** Whether an item has this content. */
  hasContent(message: unknown): boolean {
    return [...this.#versions.values()].some(({ content }) => equalJson(content.message, message))
  }

  /** Returns the message of a content that this item has already; null where it has another one. */
  sealedBefore(content: SealedContent): string | null {
    const known = this.#versions.get(content.id)
    if (!known || textOf(known.content) !== textOf(content)) return null
    // What nobody else has got is of this device, also when it has another id now.
    return known.came !== null || known.content.from === content.from ? known.sealed : null
  }

  /** This page has sealed a version. */
  went(sealed: string, content: SealedContent): void {
    this.#sealed.add(content.id)
    this.#deleted.delete(content.id)
    const came = this.#versions.get(content.id)?.came ?? null
    this.#versions.set(content.id, { sealed, content, came })
  }

  /** The server has sent a version. Returns the content that counts: where the version was put back, that which replaced it. */
  came(sealed: string, content: SealedContent): SealedContent {
    const known = this.#versions.get(content.id)
    const name = envelopeName(sealed)
    const before = nameOfCame(known)
    if (known && (this.#replaced.has(name) || isSealedBefore(name, before))) return known.content
    this.#deleted.delete(content.id)
    if (before !== null && before !== name) this.#replaced.set(before, this.#replaced.size)
    this.#versions.set(content.id, { sealed, content, came: sealed })
    if (content.wasClear) this.#clear.add(content.id)
    else this.#clear.delete(content.id)
    return content
  }

  /** How many versions were replaced here until now. */
  get replaced(): number {
    return this.#replaced.size
  }

  /**
   * Whether a version of an item is certainly older than the one that counts here: its page has sealed both, or it came, and
   * was replaced after so many others. Of what was replaced before, another device may say that it replaced the other one.
   * @param name of its envelope
   */
  isPast(id: ItemId, name: string, since: number): boolean {
    const at = this.#replaced.get(name)
    return (at !== undefined && at >= since) || isSealedBefore(name, nameOfCame(this.#versions.get(id)))
  }

  /** A right proof of a deletion has come. Returns whether it is new: after an Undo, the server could use it again. */
  proves(id: ItemId, proof: string): boolean {
    const isNew = !this.#proofs.has(proof)
    this.#proofs.add(proof)
    if (isNew) this.#deleted.add(id)
    return isNew
  }

  /** Another device knows that the item was deleted, or this one has deleted it. */
  deleted(id: ItemId): void {
    this.#deleted.add(id)
  }

  isDeleted(id: ItemId): boolean {
    return this.#deleted.has(id)
  }
}

function nameOfCame(version: Version | undefined): string | null {
  return version?.came ? envelopeName(version.came) : null
}

/** Whether the page that sealed one envelope has sealed another since: the server has held it back. */
function isSealedBefore(name: string, other: string | null): boolean {
  const [one, later] = [name, other ?? ''].map(headerNamed)
  return one?.page !== undefined && one.page === later?.page && one.number < later.number
}

/** By which an item that is shared again is known to be the same. */
function textOf({ id, extra, message, to, wasClear }: SealedContent): string {
  return JSON.stringify({ id, extra, message, to, wasClear })
}
