/** Something that is done for many changes at once: at the end of the task that brings the first, and then once in a while. */
export class RareTask {
  readonly #afterMs: number
  readonly #act: () => void
  #isDue = false
  #timer: ReturnType<typeof setTimeout> | undefined
  /** When it was done last, in milliseconds since the page was loaded. */
  #doneAt = Number.NEGATIVE_INFINITY

  /** @param afterMs so many milliseconds lie between two times */
  constructor(afterMs: number, act: () => void) {
    this.#afterMs = afterMs
    this.#act = act
  }

  /** It is to be done soon. */
  request(): void {
    if (this.#isDue) return
    this.#isDue = true
    const wait = this.#doneAt + this.#afterMs - performance.now()
    if (wait > 0) this.#timer = setTimeout(() => this.finish(), wait)
    else queueMicrotask(() => this.finish())
  }

  /** Does at once what is due. */
  finish(): void {
    if (!this.#isDue) return
    this.#isDue = false
    clearTimeout(this.#timer)
    this.#act()
    this.#doneAt = performance.now()
  }
}
