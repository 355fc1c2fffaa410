/** For tests: watches the frames of honest devices and what they write, and notes each breach of a rule. */
import { CHUNK_BYTES, type DeviceId, type ItemId, RELAY_WINDOW_BYTES } from '../protocol/bindings'
import { type ChunkRange, ChunkSet } from '../protocol/chunk-set'
import { decodeFrame, type Frame } from '../protocol/frames'
import { SMALLEST_WINDOW_BYTES } from '../protocol/link-meter'
import { chunksOf, PIECE_BYTES, piecesOf } from '../protocol/pieces'
import { chunkCount } from '../protocol/receiver'
import type { SharedFile } from './engine-chaos-liar'
import type { Sink, SinkFile } from './sinks/sink'

/** What was wanted for longer may have been given up silently (F20), and counts no more as expected. */
const EXPECTED_MS = 2_000

/** One link in one direction. */
export interface Route {
  readonly from: DeviceId
  readonly to: DeviceId
  /** Names the link; null for the relay. */
  readonly pipe: string | null
}

/** One attempt to receive a file. */
interface Copy {
  readonly device: DeviceId
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Chunks that were handed to the disk, without those of wrong pieces. */
  readonly written: ChunkSet
  readonly durable: ChunkSet
  /** How many chunks of each device wait for the disk, without those that were there before a pause. */
  waiting: Map<DeviceId, number>
}

const nameOf = ({ from, to, pipe }: Route) => `${from} to ${to} by ${pipe ?? 'relay'}`

export class Witness {
  readonly breaches: string[] = []
  /** The attempt of each device to receive each file. */
  readonly #copies = new Map<string, Copy>()
  /** How often each chunk was wanted and not sent since, by file and route. */
  readonly #wanted = new Map<string, Int32Array>()
  /** When each chunk was wanted that has not arrived, by the route on which it is to come. */
  readonly #expected = new Map<string, Map<string, number>>()
  /** Bytes of chunks that have come on each route, a short one counted as a whole. */
  readonly #arrived = new Map<string, number>()
  readonly #files: ReadonlyMap<ItemId, SharedFile>
  /** The device from which the last frame came. What is written is of that one. */
  #giver = '' as DeviceId

  constructor(
    files: readonly SharedFile[],
    readonly now: () => number,
  ) {
    this.#files = new Map(files.map((file) => [file.id, file]))
  }

  /** An honest device handed a frame to a link. */
  sent(route: Route, buffer: ArrayBuffer): void {
    const frame = decodeFrame(buffer)
    if (!frame) return this.#notes(`${nameOf(route)}: a frame that cannot be read`)
    if (frame.type === 'chunk') this.#sentChunks(route, frame)
    if (frame.type === 'want') this.#sentWant(route, frame)
  }

  /** F3: only what was wanted is sent, on the link on which it was wanted, and only what is right (F19). */
  #sentChunks(route: Route, { transfer, first, bytes }: Extract<Frame, { type: 'chunk' }>): void {
    const truth = this.#files.get(transfer)?.bytes
    if (!truth || bytes.byteLength === 0) return
    const right = truth.subarray(first * CHUNK_BYTES, first * CHUNK_BYTES + bytes.byteLength)
    if (Buffer.compare(right, bytes) !== 0) this.#notes(`${nameOf(route)}: wrong bytes of chunk ${first}`)
    const wanted = this.#wantedOn(route, transfer, truth)
    for (let chunk = first; chunk < first + Math.ceil(bytes.byteLength / CHUNK_BYTES); chunk++) {
      wanted[chunk] = (wanted[chunk] ?? 0) - 1
      if ((wanted[chunk] ?? 0) < 0) this.#notes(`${nameOf(route)}: chunk ${chunk} was not wanted`)
    }
  }

  #wantedOn(route: Route, id: ItemId, { byteLength }: Uint8Array): Int32Array {
    const name = `${nameOf(route)}: ${id}`
    const wanted = this.#wanted.get(name) ?? new Int32Array(chunkCount(byteLength))
    this.#wanted.set(name, wanted)
    return wanted
  }

  /** F6: what is durable is not wanted again. F4: what is wanted stays within the windows. */
  #sentWant(route: Route, { transfer, first, count }: Extract<Frame, { type: 'want' }>): void {
    const file = this.#files.get(transfer)
    if (!file) return
    if (count < 1 || first + count > chunkCount(file.bytes.byteLength))
      this.#notes(`${nameOf(route)}: a want beyond the end`)
    const durable = this.#copies.get(`${route.from} ${transfer}`)?.durable.within({ first, count }) ?? []
    if (durable.length > 0)
      this.#notes(`${nameOf(route)}: wants again the durable chunk ${durable[0]?.first}`)
    const back = { from: route.to, to: route.from, pipe: route.pipe }
    const expected = this.#expectedOn(back)
    for (let chunk = first; chunk < first + count; chunk++) {
      for (const elsewhere of this.#expected.values()) elsewhere.delete(`${route.from} ${transfer} ${chunk}`)
      expected.set(`${route.from} ${transfer} ${chunk}`, this.now())
    }
    this.#checkWindow(back, expected)
  }

  #expectedOn(route: Route): Map<string, number> {
    const name = nameOf(route)
    const expected = this.#expected.get(name) ?? new Map<string, number>()
    this.#expected.set(name, expected)
    return expected
  }

  #checkWindow(route: Route, expected: Map<string, number>): void {
    const bytes = [...expected.values()].filter((at) => this.now() - at < EXPECTED_MS).length * CHUNK_BYTES
    const most = SMALLEST_WINDOW_BYTES + (this.#arrived.get(nameOf(route)) ?? 0)
    if (bytes > most) this.#notes(`${nameOf(route)}: ${bytes} are expected after ${most}`)
    if (route.pipe !== null) return
    const writing = this.#writing(route)
    if (bytes + writing > RELAY_WINDOW_BYTES)
      this.#notes(`${nameOf(route)}: ${bytes} + ${writing} are too many`)
  }

  /** Bytes of one device that wait for the disk of another. */
  #writing({ from, to }: Route): number {
    const copies = [...this.#copies.values()].filter(({ device }) => device === to)
    return copies.reduce((sum, { waiting }) => sum + (waiting.get(from) ?? 0), 0) * CHUNK_BYTES
  }

  /** A frame comes to an honest device. */
  came(route: Route, frame: Frame | null): void {
    this.#giver = route.from
    if (frame?.type === 'want') this.#cameWant(route, frame)
    if (frame?.type === 'chunk') this.#cameChunks(route, frame)
    // Nothing is expected of what was dropped, or of what ended or waits (F7, F11, F18).
    if (frame?.type === 'dropped' || frame?.type === 'cancel') this.forgetsExpected(route.to)
  }

  #cameWant(route: Route, { transfer, first, count }: Extract<Frame, { type: 'want' }>): void {
    const truth = this.#files.get(transfer)?.bytes
    if (!truth) return
    const wanted = this.#wantedOn({ ...route, from: route.to, to: route.from }, transfer, truth)
    for (let chunk = first; chunk < Math.min(first + count, wanted.length); chunk++)
      wanted[chunk] = (wanted[chunk] ?? 0) + 1
  }

  #cameChunks(route: Route, { transfer, first, bytes }: Extract<Frame, { type: 'chunk' }>): void {
    const name = nameOf(route)
    const count = Math.ceil(bytes.byteLength / CHUNK_BYTES)
    this.#arrived.set(name, (this.#arrived.get(name) ?? 0) + count * CHUNK_BYTES)
    // What was wanted on one link may come on another.
    for (const [link, expected] of this.#expected) {
      if (!link.startsWith(`${route.from} to ${route.to}`)) continue
      for (let chunk = first; chunk < first + count; chunk++)
        expected.delete(`${route.to} ${transfer} ${chunk}`)
    }
  }

  /** What a device expects was given up: a person paused it, a link closed, or a device left. */
  forgetsExpected(device: DeviceId): void {
    for (const [name, expected] of this.#expected) if (name.includes(`to ${device}`)) expected.clear()
    for (const copy of this.#copies.values()) if (copy.device === device) copy.waiting = new Map()
  }

  /** The page of a device began anew. */
  forgets(device: DeviceId): void {
    this.forgetsExpected(device)
    for (const [name, { device: owner }] of this.#copies) if (owner === device) this.#copies.delete(name)
    for (const name of this.#wanted.keys()) if (name.startsWith(device)) this.#wanted.delete(name)
  }

  /** Opens a place in memory for a file of a device. @param disk milliseconds until what is written is durable */
  async open(device: DeviceId, { id, size }: SinkFile, disk: number): Promise<Sink> {
    const copy = emptyCopy(device, size)
    this.#copies.set(`${device} ${id}`, copy)
    const truth = this.#files.get(id)?.bytes ?? null
    return {
      isKept: false,
      part: null,
      read: (position, length) => copy.bytes.slice(position, position + length),
      write: (position, bytes) => {
        const range = this.#write(copy, position, bytes, truth !== null)
        const stored = this.#isStored(copy, range, truth)
        if (disk === 0) return stored()
        return new Promise((resolve) => setTimeout(() => resolve(stored()), disk))
      },
      finish: async () => plainFile(copy.bytes),
      discard: async () => {},
    }
  }

  /**
   * I2: no chunk is written twice, unless its piece was wrong.
   * @param isKnown whether the truth about the file is known
   */
  #write({ device, bytes, written }: Copy, position: number, part: Uint8Array, isKnown: boolean): ChunkRange {
    const range = { first: position / CHUNK_BYTES, count: Math.ceil(part.byteLength / CHUNK_BYTES) }
    if (position + part.byteLength > bytes.byteLength) this.#notes(`${device}: writes beyond the end`)
    else bytes.set(part, position)
    const [again] = written.within(range)
    if (again && isKnown) this.#notes(`${device}: writes chunk ${again.first} again`)
    written.add(range)
    return range
  }

  /** Returns what is to be called once chunks of the device that gave last are durable. */
  #isStored(copy: Copy, range: ChunkRange, truth: Uint8Array | null): () => void {
    const giver = this.#giver
    const { waiting } = copy
    const waits = (count: number) => waiting.set(giver, (waiting.get(giver) ?? 0) + count)
    waits(range.count)
    return () => {
      waits(-range.count)
      copy.durable.add(range)
      if (truth) for (const piece of piecesOf(range)) this.#judge(copy, truth, piece)
    }
  }

  /** A whole piece that is wrong has to be received again. */
  #judge({ bytes, written, durable }: Copy, truth: Uint8Array, piece: number): void {
    const chunks = chunksOf(piece, truth.byteLength)
    if (durable.missing(chunks).length > 0) return
    const [start, end] = [piece * PIECE_BYTES, (piece + 1) * PIECE_BYTES]
    if (Buffer.compare(bytes.subarray(start, end), truth.subarray(start, end)) === 0) return
    for (const set of [written, durable]) set.remove(chunks)
  }

  #notes(breach: string): void {
    this.breaches.push(`${Math.round(this.now())} ms: ${breach}`)
  }
}

function emptyCopy(device: DeviceId, size: number): Copy {
  const bytes = new Uint8Array(size)
  return { device, bytes, written: new ChunkSet(), durable: new ChunkSet(), waiting: new Map() }
}

/** Returns a file that is read at once: how long a real one takes is not the same in each run. */
export function plainFile(bytes: Uint8Array<ArrayBuffer>): Blob {
  const { buffer, byteLength: size } = bytes
  const arrayBuffer = async () => buffer.slice(bytes.byteOffset, bytes.byteOffset + size)
  const slice = (start = 0, end = size) => plainFile(bytes.subarray(start, end))
  return { size, arrayBuffer, slice } as Blob
}
