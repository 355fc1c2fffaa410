/** For tests: devices with real engines, and between them a server that the test controls. */

import { expect, vi } from 'vitest'
import type { BeamId, DeviceId, ErrorCode, ItemId } from '../protocol/bindings'
import { decodeFrame, type Frame } from '../protocol/frames'
import type { FileSeal } from '../protocol/item'
import { numbersFrom } from '../protocol/seeded-numbers'
import type { UnfinishedFile } from '../protocol/unfinished-file'
import { blake3 } from './blake3'
import { cryptoSettles } from './crypto-stage'
import { Engine } from './engine'
import type { EngineEvent, IncomingFile, Progress } from './engine-messages'
import { MemoryFiles } from './sinks/memory'
import { ReceivedFiles } from './sinks/received-files'
import type { Found, OpenSink, Sink, SinkFile } from './sinks/sink'
import type { ReadPart } from './stored-link'

// The library is loaded in real time, which stands still in the tests.
await blake3(new Uint8Array())
await blake3(new Uint8Array(), new Uint8Array(32))

export const KIB = 1024
export const MIB = 1024 * KIB

export const FILE = '01234567-89ab-4cde-8f01-23456789abcd' as ItemId
export const FILES = [FILE, FILE.replace(/^0/, '1') as ItemId, FILE.replace(/^0/, '2') as ItemId] as const

export interface Sent {
  readonly from: DeviceId
  readonly to: DeviceId
  readonly frame: ArrayBuffer
}

export class StageDevice {
  readonly news: EngineEvent[] = []
  readonly engine: Engine
  /** Frames that wait in this device's websocket. */
  readonly outgoing: Sent[] = []
  /** Called with each frame as the device hands it to its websocket. */
  onSent: (sent: Sent) => void = () => {}
  /** What the page answers for its websocket, in bytes; null leaves the engine without an answer. */
  unsent: (() => number) | null = () => 0
  /** What the items say that its files are sealed with. */
  seal: FileSeal | undefined
  /** Where its files are written instead of memory. */
  sink: ((file: SinkFile) => Sink | Promise<Sink>) | null = null
  /** What its disk has of a file. */
  finds: (() => Promise<Found | null>) | null = null
  /** What the server answers for a part of a stored copy. */
  reads: ReadPart = () => Promise.reject(new Error('There is no stored copy.'))
  /** What its disk has of files that are not complete. */
  unfinished: readonly UnfinishedFile[] = []
  readonly memory = new MemoryFiles()
  readonly forgotten: ItemId[] = []
  /** What its person has paused or gone on with while it was not open. */
  readonly turned: { item: ItemId; isPaused: boolean }[] = []

  constructor(readonly id: DeviceId) {
    const received = new ReceivedFiles(null, this.memory, () => {})
    const open: OpenSink = async (file, picked) => (await this.sink?.(file)) ?? received.open(file, picked)
    const forget = async (item: ItemId) => {
      this.forgotten.push(item)
      await received.forget(item)
    }
    this.engine = new Engine(
      (event) => this.#hear(event),
      {
        open,
        forget,
        find: (file, picked) => this.finds?.() ?? received.find(file, picked),
        leave: (item) => received.leave(item),
        unfinished: async () => this.unfinished,
        turn: async (item, isPaused) => {
          this.turned.push({ item, isPaused })
          await received.turn(item, isPaused)
        },
      },
      {
        hash: blake3,
        // Others for each device, and the same in each run.
        random: numbersFrom(Number.parseInt(id.slice(-1), 16) + 6),
        readStored: (url, start, bytes, signal) => this.reads(url, start, bytes, signal),
      },
      () => performance.now(),
    )
    this.engine.handle({ do: 'relay', use: 'fallback' })
  }

  #hear(event: EngineEvent): void {
    if (event.say === 'relay') this.#sends({ from: this.id, to: event.to, frame: event.frame })
    else if (event.say === 'askRelay') this.answers()
    else this.news.push(event)
  }

  #sends(sent: Sent): void {
    this.onSent(sent)
    this.outgoing.push(sent)
  }

  /** The page answers how much waits in the websocket. */
  answers(): void {
    const bytes = this.unsent?.()
    if (bytes !== undefined) queueMicrotask(() => this.engine.handle({ do: 'relayWaits', bytes }))
  }

  sees(other: StageDevice, rtc = false): void {
    this.engine.handle({ do: 'devices', devices: [{ id: other.id, rtc }] })
  }

  seesAll(...others: StageDevice[]): void {
    this.engine.handle({ do: 'devices', devices: others.map(({ id }) => ({ id, rtc: false })) })
  }

  passesOn(isAllowed: boolean): void {
    this.engine.handle({ do: 'passOn', isAllowed })
  }

  hasRemoved(other: StageDevice): void {
    this.engine.handle({ do: 'removed', devices: [other.id] })
  }

  seesNobody(): void {
    this.engine.handle({ do: 'devices', devices: [] })
  }

  offers(file: Blob, id = FILE): void {
    this.engine.handle({ do: 'offer', id, file, seal: this.seal })
  }

  receives(size: number, from: StageDevice, id = FILE): void {
    const file = { ...incomingFile(size, from, id), seal: this.seal }
    this.engine.handle({ do: 'receive', file, picked: null })
  }

  looks(size: number, from: StageDevice, id = FILE): void {
    this.engine.handle({ do: 'look', file: { ...incomingFile(size, from, id), seal: this.seal } })
  }

  leaves(id = FILE): void {
    this.engine.handle({ do: 'leave', id })
  }

  cancels(id = FILE): void {
    this.engine.handle({ do: 'cancel', id, device: null })
  }

  pauses(id = FILE): void {
    this.engine.handle({ do: 'pause', id, device: null })
  }

  resumes(id = FILE): void {
    this.engine.handle({ do: 'resume', id, device: null })
  }

  forgets(id = FILE): void {
    this.engine.handle({ do: 'forget', id })
  }

  hears({ from, frame }: Sent): void {
    this.engine.handle({ do: 'relayed', from, frame: frame.slice(0) })
  }

  isRefused(device: StageDevice, why: ErrorCode): void {
    this.engine.handle({ do: 'refused', device: device.id, why })
  }

  last(say: 'receiving' | 'sending', id = FILE): Progress | undefined {
    const event = this.news.findLast((one) => one.say === say && one.id === id)
    return event && 'progress' in event ? event.progress : undefined
  }

  /** Bytes of the file that are here. */
  received(): number {
    const progress = this.last('receiving')
    return progress && 'bytes' in progress ? progress.bytes : 0
  }

  /** Returns how often a transfer was reported in a state. */
  count(say: 'receiving' | 'sending', status: Progress['status']): number {
    return this.news.filter((one) => one.say === say && one.progress.status === status).length
  }

  /** Returns the bytes of a file that was received whole; null when it was not. */
  async has(id = FILE): Promise<Buffer | null> {
    const done = this.last('receiving', id)
    return done?.status === 'done' && done.file ? Buffer.from(await done.file.arrayBuffer()) : null
  }

  /** Whether a file was received, with these bytes. */
  async hasWhole(bytes: Uint8Array, id = FILE): Promise<boolean> {
    return (await this.has(id))?.equals(bytes) ?? false
  }
}

export function incomingFile(size: number, from: StageDevice, id = FILE): IncomingFile {
  return { id, from: from.id, size, type: '', name: 'a.bin', beam: 'a beam' as BeamId }
}

/** The server between the devices: hands each waiting frame to its addressee. */
export class StageServer {
  readonly devices: readonly StageDevice[]
  /** Bytes of chunks that it forwarded. */
  carried = 0
  /** Decides which frames it loses. */
  loses: (frame: Frame, sent: Sent) => boolean = () => false
  /** Returns what it forwards instead of a frame; null for the frame itself. */
  changes: (frame: Frame, sent: Sent) => Uint8Array<ArrayBuffer> | null = () => null

  constructor(...devices: StageDevice[]) {
    this.devices = devices
  }

  /** Forwards frames until no device sends any more. */
  async carries(): Promise<void> {
    for (let idle = 0; idle < 20; idle++) {
      if (this.carriesSome(Number.POSITIVE_INFINITY) > 0) idle = 0
      await settles()
    }
  }

  /** Forwards at most `most` frames of each device, in their order. */
  carriesSome(most: number): number {
    const waiting = this.devices.flatMap(({ outgoing }) => outgoing.splice(0, most))
    for (const sent of waiting) this.#carry(sent)
    return waiting.length
  }

  /** Forwards the oldest frame of a device. */
  carriesOne(device: StageDevice): void {
    const [sent] = device.outgoing.splice(0, 1)
    if (sent) this.#carry(sent)
  }

  #carry(given: Sent): void {
    const read = decodeFrame(given.frame)
    const changed = read && this.changes(read, given)
    const sent = changed ? { ...given, frame: changed.buffer } : given
    const frame = decodeFrame(sent.frame)
    if (frame?.type === 'chunk') this.carried += frame.bytes.byteLength
    if (frame && this.loses(frame, sent)) return
    this.devices.find(({ id }) => id === sent.to)?.hears(sent)
  }
}

const ports: MessagePort[] = []

/** Closes the channels of a test. */
export function closePorts(): void {
  for (const port of ports.splice(0)) port.close()
}

/** Returns the bytes of the chunks in a frame; 0 for any other. */
export function chunkBytes(buffer: ArrayBuffer): number {
  const frame = decodeFrame(buffer)
  return frame?.type === 'chunk' ? frame.bytes.byteLength : 0
}

/** A data channel between two devices, with the test in its middle. */
export class StageChannel {
  /** Bytes of chunks that went to Bob. */
  carried = 0
  readonly #ada: MessagePort
  readonly #bob: MessagePort
  readonly toBob: ArrayBuffer[] = []
  readonly toAda: ArrayBuffer[] = []

  constructor(
    readonly key: string,
    ada: StageDevice,
    bob: StageDevice,
  ) {
    this.#ada = this.#end(ada, bob, this.toBob)
    this.#bob = this.#end(bob, ada, this.toAda)
  }

  #end(device: StageDevice, other: StageDevice, out: ArrayBuffer[]): MessagePort {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = ({ data }) => {
      if ('frame' in data) {
        out.push(data.frame.buffer)
        port1.postMessage({ said: data.frame.byteLength, unsaid: 0 })
      }
      if (!('chunks' in data)) return
      out.push(data.chunks.buffer)
      port1.postMessage({ taken: data.chunks.byteLength })
    }
    ports.push(port1, port2)
    device.engine.handle({ do: 'port', device: other.id, place: 0, key: this.key, port: port2 })
    return port1
  }

  async opens(): Promise<void> {
    for (const port of [this.#ada, this.#bob]) port.postMessage({ opened: true })
    await settles()
    await settles()
  }

  async closes(): Promise<void> {
    for (const port of [this.#ada, this.#bob]) port.postMessage({ closed: true })
    await settles()
    await settles()
  }

  /** Closes at Bob's end only. */
  async closesAtBob(): Promise<void> {
    this.#bob.postMessage({ closed: true })
    await settles()
    await settles()
  }

  /** Carries at most so many frames of chunks to Bob; no other frame waits behind them (L5). */
  carries(most: number): number {
    let room = most
    const waits = this.toBob.splice(0)
    const there = waits.filter((frame) => chunkBytes(frame) === 0 || room-- > 0)
    this.toBob.push(...waits.filter((frame) => !there.includes(frame)))
    for (const frame of there) this.carried += chunkBytes(frame)
    for (const frame of there) this.#bob.postMessage({ frame })
    for (const frame of this.toAda.splice(0)) this.#ada.postMessage({ frame })
    return there.length
  }
}

/** Lets pending reads and promises finish, and `ms` milliseconds pass. */
export async function settles(ms = 1): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms)
  await new Promise((resolve) => setImmediate(resolve))
  await cryptoSettles()
}

/** Returns bytes of which no two chunks are equal. */
export function bytes(length: number): Uint8Array<ArrayBuffer> {
  const made = new Uint8Array(length)
  for (let i = 0; i < length; i++) made[i] = (i * 7 + (i >> 9) + (i >> 14)) & 0xff
  return made
}

/** Two devices that see each other, on fake time. */
export function adaAndBob(): { ada: StageDevice; bob: StageDevice; server: StageServer } {
  fakeTime()
  const [ada, bob] = [stageDevice('a'), stageDevice('b')]
  ada.sees(bob)
  bob.sees(ada)
  return { ada, bob, server: new StageServer(ada, bob) }
}

/** A part of the file that Ada sends is at Bob's, and more of it is under way. */
export async function someMoves(
  ada: StageDevice,
  bob: StageDevice,
  server: StageServer,
  sent: Uint8Array<ArrayBuffer>,
): Promise<void> {
  ada.offers(new Blob([sent]))
  bob.receives(sent.byteLength, ada)
  await settles()
  for (let round = 0; round < 4; round += 1) {
    server.carriesSome(8)
    await settles()
  }
  await settles(300)
  expect(bob.last('receiving')?.status).toBe('moving')
  expect(bob.received()).toBeGreaterThan(0)
}

export function fakeTime(): void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'performance'] })
}

export function stageDevice(letter: 'a' | 'b' | 'c' | 'd' | 'e'): StageDevice {
  return new StageDevice(`00000000-0000-4000-8000-00000000000${letter}` as DeviceId)
}
