/**
 * The overlays over the page, and the single history entry by which the back button closes the topmost. The entry
 * exists while any overlay is open, and is removed when the last one is closed in another way.
 */

/** The browser's history, as far as overlays use it. */
export interface OverlayHistory {
  /** Adds our entry on top, with the same address. */
  push(): void
  /** Leaves the top entry. `popped` is called once that has happened. */
  back(): void
  /** Whether the top entry is ours. It is not after a navigation to another page. */
  isOurs(): boolean
}

/** `leaving`: the step back was requested, which browsers complete asynchronously. */
type Entry = 'none' | 'there' | 'leaving'

export class Overlays {
  readonly #history: OverlayHistory
  readonly #later: (then: () => void) => void
  /** The functions that close the overlays, the topmost last. */
  readonly #open: (() => void)[] = []
  #entry: Entry = 'none'

  /** @param later runs a function after everything that opens or closes in the current task */
  constructor(history: OverlayHistory, later: (then: () => void) => void) {
    this.#history = history
    this.#later = later
  }

  /** Registers an overlay. Returns a function to call when the overlay is gone, for whatever reason. */
  opened(close: () => void): () => void {
    this.#open.push(close)
    this.#settle()
    return () => {
      const at = this.#open.lastIndexOf(close)
      if (at >= 0) this.#open.splice(at, 1)
      // An overlay that opens in the same task takes the entry over.
      this.#later(() => this.#settle())
    }
  }

  /** The history moved back or forward. */
  popped(): void {
    const was = this.#entry
    if (was === 'there' && this.#history.isOurs()) return
    this.#entry = 'none'
    if (was === 'there') this.#open.at(-1)?.()
    // An overlay that is still open gets an entry again.
    this.#later(() => this.#settle())
  }

  #settle(): void {
    if (this.#open.length > 0 && this.#entry === 'none') {
      this.#history.push()
      this.#entry = 'there'
    } else if (this.#open.length === 0 && this.#entry === 'there') {
      const isOurs = this.#history.isOurs()
      this.#entry = isOurs ? 'leaving' : 'none'
      if (isOurs) this.#history.back()
    }
  }
}
