/**
 * What lies over the page, and the one history entry that lets the back button close it. The entry is there while
 * anything is open; it is taken away when the last overlay is closed by other means. Knows no component.
 */

/** The browser's history, as far as overlays go. */
export interface OverlayHistory {
  /** Adds an entry of ours on top, for the same address. */
  push(): void
  /** Leaves the top entry. `popped` is called once that has happened. */
  back(): void
  /** Whether the top entry is ours. Somebody may have gone to another page since. */
  isOurs(): boolean
}

/** `leaving`: on the way out of our entry, which a browser does in its own time. */
type Entry = 'none' | 'there' | 'leaving'

export class Overlays {
  readonly #history: OverlayHistory
  readonly #later: (then: () => void) => void
  /** How each is closed, the topmost last. */
  readonly #open: (() => void)[] = []
  #entry: Entry = 'none'

  /** `later` runs something once everything that opens and closes at this moment has done so. */
  constructor(history: OverlayHistory, later: (then: () => void) => void) {
    this.#history = history
    this.#later = later
  }

  /** Returns what is called when the overlay is gone, however it went. */
  opened(close: () => void): () => void {
    this.#open.push(close)
    this.#settle()
    return () => {
      const at = this.#open.lastIndexOf(close)
      if (at >= 0) this.#open.splice(at, 1)
      // One that opens in the same moment takes the entry over.
      this.#later(() => this.#settle())
    }
  }

  /** The history went back or forth. */
  popped(): void {
    const was = this.#entry
    if (was === 'there' && this.#history.isOurs()) return
    this.#entry = 'none'
    if (was === 'there') this.#open.at(-1)?.()
    // What is still open, or did not let itself be closed, has an entry again.
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
