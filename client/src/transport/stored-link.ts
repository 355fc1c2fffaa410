/**
 * The last way of a transfer: the copy of the file that the server has (F22). It is read in ranges while no device can give
 * the file, and no longer once one can.
 */
import { type DeviceId, type ItemId, SMALLEST_BUDGET_BYTES } from '../protocol/bindings'
import type { ChunkRange } from '../protocol/chunk-set'
import type { LinkKey, Receiver } from '../protocol/receiver'
import { STALL_MS } from '../protocol/stall-clock'
import type { Checking } from './checking'
import type { ChunkLayout } from './chunk-layout'
import { Gate } from './gate'
import { type Givers, storedKeyOf } from './givers'

/** Reads bytes of a stored copy. @throws when the server does not give them */
export type ReadPart = (
  url: string,
  start: number,
  bytes: number,
  signal: AbortSignal,
) => Promise<ReadableStream<Uint8Array>>

/** What stands for the stored copy among those who give chunks. */
export const STORED = 'stored' as DeviceId

/** Bytes of one request: so long that the pauses between them cost little, and so short that little is lost at a change. */
const REQUEST_BYTES = 8 * 1024 * 1024
/** Chunks that are handed on at once. */
const PORTION_CHUNKS = 4
/**
 * No device has been able to give anything for so long before the copy is read, in milliseconds. A link that is lost is often
 * there again by then. A file of which nothing has come yet does not wait: its person does.
 */
const GRACE_MS = 2_000
/** Pause after a request that failed, in milliseconds. */
const RETRY_MS = 5_000
/** Bytes that may wait for the disk before no more is read. */
const MOST_WRITING_BYTES = SMALLEST_BUDGET_BYTES

/** The transfer, as far as this way of it needs it. */
export interface Stored {
  readonly file: { readonly id: ItemId; readonly size: number }
  readonly source: { readonly id: DeviceId }
  readonly isOpen: boolean
  readonly receiver: Receiver
  readonly checking: Checking
  readonly layout: ChunkLayout
  readonly givers: Givers
  chunk(
    first: number,
    bytes: Uint8Array<ArrayBuffer>,
    from: DeviceId,
    link: LinkKey,
    arrived: (bytes: number) => readonly ChunkRange[],
  ): void
}

/** The server has no such copy any more. */
export class CopyGone extends Error {}

export class StoredLink {
  readonly key: LinkKey
  #reading: AbortController | null = null
  /** Since when no device can give anything, in milliseconds; null while one can. */
  #aloneSince: number | null = null
  /** Whether it has been read since then. */
  #hasBegun = false
  #notBefore = 0
  /** When bytes last came, or the disk last took some, in milliseconds. */
  #heardAt = 0
  /** What waits for the disk goes on here. */
  readonly #gate = new Gate()

  constructor(
    readonly incoming: Stored,
    readonly url: string,
    readonly read: ReadPart,
    readonly now: () => number,
  ) {
    this.key = storedKeyOf(incoming.file.id)
  }

  /** Whether it carries now. */
  get isCarrying(): boolean {
    return this.#reading !== null
  }

  /** What it gave is wrong, or it is gone: it is not read again. */
  ban(): void {
    this.#notBefore = Number.POSITIVE_INFINITY
    this.stop()
  }

  get isBanned(): boolean {
    return this.#notBefore === Number.POSITIVE_INFINITY
  }

  /** The disk has taken bytes. */
  hasRoom(): void {
    this.#heardAt = this.now()
    if (!this.#isFull) this.#gate.open()
  }

  get #isFull(): boolean {
    return this.incoming.receiver.writing >= MOST_WRITING_BYTES
  }

  /** Called several times a second while the transfer is under way, and when a piece was hashed. */
  look(): void {
    const now = this.now()
    const { incoming } = this
    if (!incoming.isOpen || incoming.givers.canGive(now)) return this.stop()
    this.#aloneSince ??= now
    // What came of the copy meanwhile is no reason to wait for a device once more.
    const grace = this.#hasBegun || incoming.receiver.received === 0 ? 0 : GRACE_MS
    if (now < this.#notBefore || now - this.#aloneSince < grace) return
    incoming.checking.vouchedFor(incoming.source.id, STORED)
    if (!incoming.isOpen || now < this.#notBefore) return
    if (!this.#reading) return void this.#run()
    // A connection that is cut without a word never fails by itself.
    if (this.#isFull || now - this.#heardAt < STALL_MS) return
    this.stop()
    this.#notBefore = now + RETRY_MS
  }

  /** Ends what is being read. What has not arrived is wanted elsewhere. */
  stop(): void {
    this.#aloneSince = null
    this.#hasBegun = false
    this.#reading?.abort()
    this.#reading = null
    this.#gate.open()
    this.incoming.receiver.lost(this.key)
  }

  async #run(): Promise<void> {
    const reading = new AbortController()
    this.#reading = reading
    this.#heardAt = this.now()
    const { receiver, layout } = this.incoming
    try {
      for (;;) {
        const range = receiver.wantRun(this.key, REQUEST_BYTES)
        if (!range || reading.signal.aborted) return
        this.#hasBegun = true
        const bytes = layout.bytesOf(range)
        const stream = await this.read(this.url, layout.start(range.first), bytes, reading.signal)
        await this.#take(stream, range.first, bytes, reading.signal)
      }
    } catch (error) {
      // What was stopped did not fail.
      if (error instanceof CopyGone) this.#notBefore = Number.POSITIVE_INFINITY
      else if (!reading.signal.aborted) this.#notBefore = this.now() + RETRY_MS
    } finally {
      // Also ends an answer of which nothing was read.
      reading.abort()
      if (this.#reading === reading) {
        this.#reading = null
        receiver.lost(this.key)
      }
    }
  }

  /** Waits until the disk has room for more. */
  async #room(): Promise<void> {
    if (this.#isFull) await this.#gate.wait()
  }

  /** Hands on what is read, in whole chunks. @throws when it ends too early */
  async #take(stream: ReadableStream<Uint8Array>, first: number, bytes: number, signal: AbortSignal) {
    const reader = stream.getReader()
    const { layout, receiver } = this.incoming
    const portion = new Uint8Array(PORTION_CHUNKS * layout.chunkBytes)
    let [filled, taken] = [0, 0]
    const handOn = () => {
      const part = portion.slice(0, filled)
      const at = first + taken / layout.chunkBytes
      this.incoming.chunk(at, part, STORED, this.key, (length) => receiver.arrived(at, length, [this.key]))
      taken += filled
      filled = 0
    }
    while (taken + filled < bytes) {
      await this.#room()
      const { done, value } = await reader.read()
      if (done || signal.aborted) break
      this.#heardAt = this.now()
      for (let at = 0; at < value.byteLength; ) {
        const length = Math.min(value.byteLength - at, portion.byteLength - filled)
        portion.set(value.subarray(at, at + length), filled)
        at += length
        filled += length
        if (filled === portion.byteLength || taken + filled === bytes) handOn()
      }
    }
    await reader.cancel()
    if (taken < bytes) throw new Error('The stored copy ended too early.')
  }
}
