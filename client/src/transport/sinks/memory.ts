/** Keeps received files in memory, in browsers that give pages no disk. */
import type { ItemId } from '../../protocol/bindings'
import { type FileStore, NoRoom, type Sink, type SinkFile } from './sink'

/** Bytes of all files together that the browser of a phone can bear; beyond that it kills the tab. */
const MOST_BYTES = 256 * 1024 * 1024

export class MemoryFiles implements FileStore {
  #taken = 0
  readonly #sinks = new Map<ItemId, Set<Sink>>()

  /** @param most bytes of all files together */
  constructor(readonly most = MOST_BYTES) {}

  async open(file: SinkFile): Promise<Sink> {
    if (file.size > this.most) {
      throw new NoRoom({ reason: 'tooLarge', mostBytes: this.most })
    }
    if (file.size > this.most - this.#taken) {
      throw new NoRoom({ reason: 'memoryFull', mostBytes: this.most })
    }
    return this.#sink(file)
  }

  /** What was received again would take the place of what is here; nothing outlives the page. */
  async find(): Promise<null> {
    return null
  }

  async turn(): Promise<void> {}

  async unfinished(): Promise<[]> {
    return []
  }

  async leave(id: ItemId): Promise<void> {
    await this.forget(id)
  }

  async forget(id: ItemId): Promise<void> {
    for (const sink of this.#sinks.get(id) ?? []) await sink.discard()
  }

  #sink({ id, size, type }: SinkFile): Sink {
    let bytes: Uint8Array<ArrayBuffer> | null = new Uint8Array(size)
    this.#taken += size
    const sinks = this.#sinks.get(id) ?? new Set()
    this.#sinks.set(id, sinks)
    const sink: Sink = {
      isKept: false,
      part: null,
      read: (position, length) => bytes?.slice(position, position + length) ?? new Uint8Array(),
      write: (position, part) => bytes?.set(part, position),
      async finish() {
        const file = new Blob(bytes ? [bytes] : [], { type })
        bytes = null
        return file
      },
      discard: async () => {
        bytes = null
        if (!sinks.delete(sink)) return
        this.#taken -= size
        if (sinks.size === 0 && this.#sinks.get(id) === sinks) this.#sinks.delete(id)
      },
    }
    sinks.add(sink)
    return sink
  }
}
