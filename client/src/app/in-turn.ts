/** Work that is begun at once, and recorded in the order in which it was begun: that of each key by itself. */
export class InTurn<Key> {
  /** By the key, what was begun last. It never fails. */
  readonly #last = new Map<Key, Promise<void>>()

  /** Resolves to what `record` returns, which is called once all earlier work of the key is recorded or has failed. */
  run<Done, Recorded>(key: Key, work: Promise<Done>, record: (done: Done) => Recorded): Promise<Recorded> {
    const recorded = recordAfter(this.#last.get(key), work, record)
    const ended = recorded.then(
      () => {},
      () => {},
    )
    this.#last.set(key, ended)
    void ended.then(() => this.#last.get(key) === ended && this.#last.delete(key))
    return recorded
  }
}

async function recordAfter<Done, Recorded>(
  before: Promise<void> | undefined,
  work: Promise<Done>,
  record: (done: Done) => Recorded,
): Promise<Recorded> {
  // It may fail before its turn comes.
  work.catch(() => {})
  await before
  return record(await work)
}
