/**
 * Deletions that are proved under a key which this device does not have (E4): another one has changed the keys, and perhaps hands them over
 * soon (E15). Until then nothing is undone.
 */
import type { ItemId } from '../protocol/bindings'

/** So long the key of what does not open may take to come, before it counts as sealed by nobody. In milliseconds. */
export const KEY_COMES_WITHIN_MS = 30_000

interface Early {
  readonly proof: string
  /** Null once its key has not come in time. */
  late: ReturnType<typeof setTimeout> | null
}

export class EarlyProofs {
  readonly #early = new Map<ItemId, Early>()

  /** @param check called with what is to be checked again */
  constructor(readonly check: (id: ItemId, proof: string) => void) {}

  /** The key of a proof is not here. Returns whether it may come yet. */
  mayOpen(id: ItemId, proof: string): boolean {
    const known = this.#early.get(id)
    if (known?.proof === proof) return known.late !== null
    this.checked(id)
    const late = setTimeout(() => this.#isLate(id), KEY_COMES_WITHIN_MS)
    this.#early.set(id, { proof, late })
    return true
  }

  #isLate(id: ItemId): void {
    const early = this.#early.get(id)
    if (!early) return
    early.late = null
    this.check(id, early.proof)
  }

  /** Keys may have come. */
  look(): void {
    for (const [id, { proof }] of this.#early) this.check(id, proof)
  }

  /** It is known now whether the item was deleted. */
  checked(id: ItemId): void {
    clearTimeout(this.#early.get(id)?.late ?? undefined)
    this.#early.delete(id)
  }

  /** The beam was left. */
  end(): void {
    for (const id of this.#early.keys()) this.checked(id)
  }
}
