/** Senders wait here until there is room again. Opening lets all of them go on; each looks again for itself. */
export class Gate {
  #waiting: (() => void)[] = []

  /** Resolves with the next `open`. */
  wait(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  open(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}
