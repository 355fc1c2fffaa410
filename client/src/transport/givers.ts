/** The devices that give one file: the one that shared it, and others that receive it or have it (F20). */
import type { DeviceId, ItemId } from '../protocol/bindings'
import { Carriers } from '../protocol/carriers'
import { type ChunkRange, ChunkSet } from '../protocol/chunk-set'
import { piecesOf } from '../protocol/pieces'
import type { LinkKey, Receiver } from '../protocol/receiver'
import { Supply, Swarm } from '../protocol/swarm'
import type { Carrying } from './engine-messages'
import type { Arriving, RemoteDevice } from './remote-device'

/** What comes from the source is told again after so many milliseconds. */
const CLAIM_AGAIN_MS = 2_000
/** A device that gave nothing, or did not have what it had named, is asked again after so many milliseconds. */
const REST_MS = 15_000
/** A source of which nothing was wanted for so many milliseconds is idle. */
const IDLE_MS = 2_000

/** The transfer, as far as those who give it need it. */
export interface Received {
  readonly file: { readonly id: ItemId; readonly head?: number | undefined }
  readonly receiver: Receiver
  /** The device that shared it. */
  readonly source: RemoteDevice
  readonly isOpen: boolean
}

/** A device that gives chunks of a file. */
export class Giver implements Arriving {
  readonly receiver: Supply
  /** When chunks of the file last came from it, or were first expected of it, in milliseconds. */
  #heardAt: number | null = null

  constructor(
    readonly received: Received,
    readonly device: RemoteDevice,
    swarm: Swarm,
  ) {
    this.receiver = new Supply(swarm, device.id)
  }

  get file(): Received['file'] {
    return this.received.file
  }

  get isOpen(): boolean {
    return this.received.isOpen
  }

  /** Whether it shared the file. What others give is not among the files that are wanted of them at once. */
  get takesTurn(): boolean {
    return this.device === this.received.source
  }

  /** Something is wanted of it. */
  wanted(now: number): void {
    this.#heardAt ??= now
  }

  /** Chunks came from it. */
  gave(now: number): void {
    this.#heardAt = now
  }

  /** Whether something is expected of it, and nothing of the file has come from it for some milliseconds. */
  isSilent(milliseconds: number, now: number): boolean {
    if (this.waiting === 0) this.#heardAt = null
    return this.#heardAt !== null && now - this.#heardAt > milliseconds
  }

  /** Bytes that are expected of it. */
  get waiting(): number {
    return this.device.links.reduce((sum, { key }) => sum + this.receiver.waitingOn(key), 0)
  }
}

/** The device that shared a file has it no more, or not yet again (F17), or may no longer be in the beam (S25). */
export type SourceOut = 'gone' | 'sourceRemoved'

/** Names the link to the server's copy of a file. */
export function storedKeyOf(id: ItemId): LinkKey {
  return `stored:${id}`
}

export class Givers {
  readonly swarm: Swarm
  readonly carriers = new Carriers()
  readonly #givers = new Map<RemoteDevice, Giver>()
  /** The devices that are not asked, and until when, in milliseconds. */
  readonly #banned = new Map<DeviceId, number>()
  /** Why the device that shared the file gives nothing of it; null while it may. */
  sourceOut: SourceOut | null = null
  /** What others know of what comes from the source, and since when, in milliseconds. */
  #claimed = { name: '[]', at: Number.NEGATIVE_INFINITY }
  /** When something was last expected of the source, in milliseconds. */
  #busyAt = 0
  /** When others had something last that was lacking here, in milliseconds. */
  #gaveAt = Number.NEGATIVE_INFINITY

  /** The link on which chunks of the server's copy come (F22). */
  get storedKey(): LinkKey {
    return storedKeyOf(this.received.file.id)
  }

  /** @param random returns a number from 0 to below 1 */
  constructor(
    readonly received: Received,
    random: () => number,
  ) {
    const { receiver, source, file } = received
    this.swarm = new Swarm(receiver, source.id, file.head ?? 0, random)
    this.#givers.set(source, new Giver(received, source, this.swarm))
  }

  get devices(): readonly RemoteDevice[] {
    return [...this.#givers.keys()]
  }

  /** All but the device that shared the file. */
  get others(): readonly Giver[] {
    return [...this.#givers.values()].filter(({ takesTurn }) => !takesTurn)
  }

  get isAnyHere(): boolean {
    return this.devices.some(({ isHere }) => isHere)
  }

  of(device: RemoteDevice): Giver | null {
    return this.#givers.get(device) ?? null
  }

  /** Another device gives pieces, or will. Returns null for one that was banned, and for the device that shared the file. */
  add(device: RemoteDevice, pieces: readonly ChunkRange[]): Giver | null {
    if (device === this.received.source || this.#banned.has(device.id)) return null
    this.swarm.gives(device.id, pieces)
    const giver = this.of(device) ?? new Giver(this.received, device, this.swarm)
    this.#givers.set(device, giver)
    return giver
  }

  /** Another device gives nothing any more. What was expected of it is wanted elsewhere. Returns whether it was one. */
  drop(device: RemoteDevice): boolean {
    const giver = this.of(device)
    if (!giver || giver.takesTurn) return false
    this.#givers.delete(device)
    this.swarm.gone(device.id)
    for (const { key } of device.links) this.received.receiver.lost(key)
    device.scheduler.end(giver)
    return true
  }

  /** Another device gave what is wrong: it is not asked again. */
  ban(device: RemoteDevice): void {
    if (this.drop(device)) this.#banned.set(device.id, Number.POSITIVE_INFINITY)
  }

  /** Another device gives nothing, or not what it has named: it is not asked for a while. Returns whether it was one. */
  rest(device: RemoteDevice, now: number): boolean {
    const isOne = this.drop(device)
    if (isOne) this.#banned.set(device.id, now + REST_MS)
    return isOne
  }

  /** Returns the devices that may be asked again from now on. */
  rested(now: number): readonly DeviceId[] {
    const rested = [...this.#banned].flatMap(([device, until]) => (until <= now ? [device] : []))
    for (const device of rested) this.#banned.delete(device)
    return rested
  }

  /** Whether a device will be asked again that is not asked now. */
  isResting(device: RemoteDevice): boolean {
    return Number.isFinite(this.#banned.get(device.id))
  }

  get isAnyResting(): boolean {
    return [...this.#banned.values()].some(Number.isFinite)
  }

  /**
   * Whether others have anything that is lacking here, or are giving it, or were a moment ago and may come back: a device
   * whose connection is interrupted leaves and returns.
   */
  mayOthersGive(now: number): boolean {
    if (this.others.some(({ waiting, receiver }) => waiting > 0 || receiver.unasked > 0)) this.#gaveAt = now
    return this.isAnyResting || now - this.#gaveAt < REST_MS
  }

  /** Lets the file be wanted of each. */
  begin(): void {
    for (const [device, giver] of this.#givers)
      if (!giver.takesTurn || this.sourceOut === null) device.scheduler.begin(giver)
  }

  /** The device that shared the file gives nothing more of it. What was expected of it is wanted elsewhere. */
  sourceWent(why: SourceOut): void {
    const { source, receiver } = this.received
    this.sourceOut = why
    for (const { key } of source.links) receiver.lost(key)
    const giver = this.of(source)
    if (giver) source.scheduler.end(giver)
  }

  /** It gives the file again. */
  sourceCame(): void {
    const { source, isOpen } = this.received
    const giver = this.of(source)
    if (this.sourceOut === null || !giver) return
    this.sourceOut = null
    if (isOpen) source.scheduler.begin(giver)
  }

  /** Lets nothing more be wanted of it. Others than the source are told if they owe chunks. */
  end(): void {
    for (const [device, giver] of this.#givers) {
      const transfer = this.received.file.id
      if (!giver.takesTurn && giver.waiting > 0) device.say({ type: 'cancel', transfer, reason: 'person' })
      device.scheduler.end(giver)
    }
  }

  /** Whether any of them can give now, or does. */
  canGive(now: number): boolean {
    return [...this.#givers.values()].some(({ device, takesTurn, waiting }) => {
      const gives = takesTurn ? this.sourceOut === null : waiting > 0
      return gives && device.routes(now).length > 0
    })
  }

  /** Returns the links on which the file comes. */
  via(now: number): Carrying {
    const { receiver, source } = this.received
    const keys = this.carriers.look((link) => receiver.waitingOn(link) > 0, now)
    // The copy is read only while nothing else carries the file, and before its first chunk it is the way that this will take.
    const isRead = receiver.waitingOn(this.storedKey) > 0
    if (keys.length === 0 && !isRead) return source.carrying([])
    if (isRead || keys.every((key) => key === this.storedKey))
      return { links: [], server: false, stored: true }
    const relays = new Set([...this.devices.map(({ relay }) => relay.key), this.storedKey])
    const links = keys.filter((key) => !relays.has(key))
    return { links, server: links.length < keys.length }
  }

  /** Called several times a second while the file moves. */
  tick(now: number): void {
    if ((this.of(this.received.source)?.waiting ?? 0) > 0) this.#busyAt = now
    this.swarm.look(now - this.#busyAt > IDLE_MS, now)
  }

  /** Returns the pieces that come from the source, to tell those who receive them too; null while they know. */
  claims(now: number): readonly ChunkRange[] | null {
    if (this.others.length === 0) return null
    const { receiver, source } = this.received
    const pieces = new ChunkSet()
    for (const range of receiver.expectedOn(source.links.map(({ key }) => key)))
      for (const piece of piecesOf(range)) pieces.add({ first: piece, count: 1 })
    const claimed = pieces.ranges()
    const name = JSON.stringify(claimed)
    if (name === this.#claimed.name && now - this.#claimed.at < CLAIM_AGAIN_MS) return null
    this.#claimed = { name, at: now }
    return claimed
  }
}
