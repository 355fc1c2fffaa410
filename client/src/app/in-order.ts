/** Runs asynchronous steps one after the other. A step returns what it does in the end, which is not done after `end`. */
export class InOrder {
  /** Ends with the last step; null where none runs. It never fails. */
  #last: Promise<void> | null = null
  #hasEnded = false

  /**
   * Begins a step at once where none runs: what is asked of a worker is under way before the page draws anything. A step that fails leaves
   * the next ones alone.
   */
  run(step: () => Promise<() => unknown>): void {
    const before = this.#last
    let ended = () => {}
    const ran = new Promise<void>((resolve) => {
      ended = resolve
    })
    // Before the step begins, which may add the next one.
    this.#last = ran
    void this.#runAfter(before, step).then(() => {
      if (this.#last === ran) this.#last = null
      ended()
    })
  }

  /** Resolves when all steps until now are done. */
  get done(): Promise<void> {
    return this.#last ?? Promise.resolve()
  }

  end(): void {
    this.#hasEnded = true
  }

  async #runAfter(before: Promise<void> | null, step: () => Promise<() => unknown>): Promise<void> {
    if (before !== null) await before
    if (this.#hasEnded) return
    try {
      const act = await step()
      if (!this.#hasEnded) act()
    } catch {}
  }
}
