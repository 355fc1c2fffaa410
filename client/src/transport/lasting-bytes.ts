/** Reads a stored copy to its end, also where the connection is cut meanwhile: it is then asked for the rest. */
import { HttpError, readPart } from './http'
import { within } from './within'

/** Pauses before a copy is asked again for what is missing, in milliseconds. Any byte that comes begins them anew. */
const AGAIN_MS = [500, 2_000, 5_000, 10_000, 20_000]
/** A connection that ended without a word is known by its silence alone, in milliseconds. */
const SILENT_MS = 30_000

/** The connection was cut, and did not come back within the pauses. */
export class InterruptedError extends Error {}

export interface Wanted {
  /** The offset of the first byte. */
  readonly start: number
  /** The offset behind the last byte. */
  readonly end: number
  readonly signal?: AbortSignal | undefined
  /** Called when the bytes stop to come, and when they come again. */
  readonly onCut?: ((isCut: boolean) => void) | undefined
}

/** Returns the bytes of a stored copy. The stream fails with `InterruptedError`, or as `readPart` rejects. */
export function lastingBytes(url: string, wanted: Wanted): ReadableStream<Uint8Array> {
  const part = new LastingPart(url, wanted)
  return new ReadableStream(
    {
      async pull(controller) {
        const bytes = await part.next()
        if (bytes) controller.enqueue(bytes)
        else controller.close()
      },
      cancel: () => part.close(),
    },
    { highWaterMark: 0 },
  )
}

class LastingPart {
  readonly #url: string
  readonly #wanted: Wanted
  #at: number
  #reader: ReadableStreamDefaultReader<Uint8Array> | null = null
  /** Ends the request under way: one that was given up would answer into the next. */
  #attempt = new AbortController()
  #failures = 0
  #isClosed = false

  constructor(url: string, wanted: Wanted) {
    this.#url = url
    this.#wanted = wanted
    this.#at = wanted.start
  }

  /** Returns the next bytes; null behind the last one. */
  async next(): Promise<Uint8Array | null> {
    const { end, signal } = this.#wanted
    while (this.#at < end && !this.#isClosed) {
      signal?.throwIfAborted()
      const bytes = await unlessSilent(this.#read()).catch((error: unknown) => this.#failed(error))
      if (bytes) return this.#took(bytes.subarray(0, end - this.#at))
    }
    await this.close()
    return null
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#giveUp()
  }

  async #giveUp(): Promise<void> {
    const reader = this.#reader
    this.#reader = null
    this.#attempt.abort()
    this.#attempt = new AbortController()
    await reader?.cancel().catch(() => {})
  }

  async #read(): Promise<Uint8Array> {
    const reader = this.#reader ?? (await this.#asked())
    const { done, value } = await reader.read()
    if (done) throw new InterruptedError()
    return value
  }

  /** Asks for the rest. @throws also when it was given up meanwhile */
  async #asked(): Promise<ReadableStreamDefaultReader<Uint8Array>> {
    const { end, signal } = this.#wanted
    const attempt = this.#attempt
    const stop = () => attempt.abort(signal?.reason)
    signal?.addEventListener('abort', stop, { once: true })
    const { body } = await readPart(this.#url, this.#at, end - this.#at, attempt.signal)
    if (!body || attempt.signal.aborted) throw new InterruptedError()
    this.#reader = body.getReader()
    return this.#reader
  }

  #took(bytes: Uint8Array): Uint8Array {
    this.#at += bytes.byteLength
    if (this.#failures > 0) this.#wanted.onCut?.(false)
    this.#failures = 0
    return bytes
  }

  /** Waits before the next attempt. @throws when there is none */
  async #failed(error: unknown): Promise<null> {
    const { signal, onCut } = this.#wanted
    signal?.throwIfAborted()
    if (isFinal(error)) throw error
    await this.#giveUp()
    const pause = AGAIN_MS[this.#failures]
    if (pause === undefined) throw new InterruptedError()
    this.#failures += 1
    onCut?.(true)
    await waits(pause, signal)
    return null
  }
}

function unlessSilent<Read>(read: Promise<Read>): Promise<Read> {
  return within(SILENT_MS, read, () => new InterruptedError())
}

/** Whether the server would answer the same again: the copy is gone, or may not be read. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof HttpError) || error.status === null) return false
  return error.status < 500 && error.status !== 408 && error.status !== 429
}

function waits(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
