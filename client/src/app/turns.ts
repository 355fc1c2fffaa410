/** Lets a bounded number of jobs run at a time, in the order in which they came. */

interface Job {
  readonly begin: () => void
}

export class Turns {
  readonly #atOnce: number
  readonly #waiting: Job[] = []
  readonly #running = new Set<Job>()

  constructor(atOnce: number) {
    this.#atOnce = atOnce
  }

  /** Calls `begin` when it is its turn. The returned function ends the job, whether it has begun or not. */
  enter(begin: () => void): () => void {
    const job: Job = { begin }
    this.#waiting.push(job)
    this.#next()
    return () => {
      const at = this.#waiting.indexOf(job)
      if (at >= 0) this.#waiting.splice(at, 1)
      if (this.#running.delete(job)) this.#next()
    }
  }

  #next(): void {
    while (this.#running.size < this.#atOnce) {
      const job = this.#waiting.shift()
      if (!job) return
      this.#running.add(job)
      job.begin()
    }
  }
}
