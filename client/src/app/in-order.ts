/** Runs asynchronous steps one after the other. A step returns what it does in the end, which is not done after `end`. */
export class InOrder {
  #last: Promise<void> = Promise.resolve()
  #hasEnded = false

  /** A step that fails leaves the next ones alone. */
  run(step: () => Promise<() => unknown>): void {
    this.#last = this.#runAfter(this.#last, step)
  }

  /** Resolves when all steps until now are done. */
  get done(): Promise<void> {
    return this.#last
  }

  end(): void {
    this.#hasEnded = true
  }

  async #runAfter(before: Promise<void>, step: () => Promise<() => unknown>): Promise<void> {
    await before
    if (this.#hasEnded) return
    try {
      const act = await step()
      if (!this.#hasEnded) act()
    } catch {}
  }
}
