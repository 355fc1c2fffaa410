/** Lets senders wait for room. `open` resumes all of them; each then checks for itself whether there is room. */
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
