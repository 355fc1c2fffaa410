/**
 * For tests: devices with real engines, a network that loses, repeats, delays and spoils what they say, and a device that
 * lies. A run is decided by its plan alone, so that a failing one can be repeated.
 */
import { vi } from 'vitest'
import { CHUNK_BYTES, type DeviceId, type ErrorCode, type ItemId } from '../protocol/bindings'
import { decodeFrame } from '../protocol/frames'
import { numbersFrom } from '../protocol/seeded-numbers'
import type { Engine } from './engine'
import { Liar, type Lie, type Manner, type SharedFile } from './engine-chaos-liar'
import { CALM, Network, type NetworkEvents, type Weather } from './engine-chaos-network'
import { Pipe, type PipeEnd } from './engine-chaos-pipe'
import { inClear, inSealed } from './engine-chaos-seal'
import { type Route, Witness } from './engine-chaos-witness'
import { bytes, chunkBytes, StageDevice } from './engine-stage'

export interface Plan {
  readonly seed: number
  /** How many devices keep to the protocol. */
  readonly honest: number
  readonly files: readonly { readonly size: number; readonly owner: number }[]
  readonly liar: LiarPlan | null
  /** Frames of chunks that leave a device on one link in `STEP_MS`. */
  readonly uplink: number
  /** Milliseconds until what is written is durable. */
  readonly disk: number
  /** Whether direct links may be waited for (L2). */
  readonly rtc: boolean
  /** Whether everybody asks for every file at the start. */
  readonly isEager: boolean
  /** Whether all files are sealed (E7). */
  readonly isSealed: boolean
  /** What happens, each so many milliseconds after the last. */
  readonly happenings: readonly (readonly [after: number, Happening])[]
}

export interface LiarPlan {
  readonly manner: Manner
  /** What it says again and again, to everybody. */
  readonly habits: readonly Lie[]
  /** The size of a file that it shares itself; null for none. */
  readonly shares: number | null
}

export type Happening =
  | { readonly do: 'weather'; readonly weather: Weather }
  /** A person at a device that receives a file. */
  | { readonly do: 'ask' | 'pause' | 'resume' | 'cancel'; readonly device: number; readonly file: number }
  /** The person who shared a file, for one device or for all (null). */
  | { readonly do: 'hold' | 'release' | 'callOff'; readonly file: number; readonly to: number | null }
  /** The socket of a device breaks, or is back. */
  | { readonly do: 'socket'; readonly device: number }
  | { readonly do: 'reload'; readonly device: number; readonly hasFiles: boolean }
  | { readonly do: 'passOn'; readonly device: number; readonly isAllowed: boolean }
  /** A direct link opens. */
  | { readonly do: 'link'; readonly between: readonly [number, number] }
  /** A direct link breaks: at one end, and at the other so many milliseconds later. */
  | { readonly do: 'cut'; readonly link: number; readonly end: 0 | 1; readonly lag: number }
  | { readonly do: 'lie'; readonly lie: Lie; readonly to: number; readonly times: number }

const STEP_MS = 20
/** How often the liar says what it always says. */
const HABIT_MS = 500
/** How long the end of a link takes to see that the other is gone. */
const LAG_MS = 1_000
/** How long it takes until a broken link is built anew. */
const REBUILD_MS = 5_000
const MOST_LINKS = 6
/** Of the cipher that stands for the real one, which has no key. */
const SEAL = { key: '', salt: '' }

const deviceId = (number: number) => `00000000-0000-4000-8000-00000000000${number + 1}` as DeviceId
const itemId = (number: number) => `${number}1234567-89ab-4cde-8f01-23456789abcd` as ItemId
/** Any number stands for one of those that there are. */
export const at = <T>(all: readonly T[], number: number): T => all[number % all.length] as T

export class World {
  readonly files: readonly SharedFile[]
  readonly witness: Witness
  readonly liar: Liar | null
  readonly network: Network
  /** Those that keep to the protocol. */
  readonly devices: StageDevice[]
  readonly #here: Set<DeviceId>
  #links: Pipe[] = []
  /** Links of which one end is closed, and the other will be. */
  readonly #closing = new Set<Pipe>()
  #linkCount = 0
  #liedAt = Number.NEGATIVE_INFINITY
  /** Whether the liar speaks. */
  lies = true

  constructor(readonly plan: Plan) {
    const random = numbersFrom(plan.seed)
    this.files = filesOf(plan)
    const honestFiles = this.files.filter(({ owner }) => owner !== deviceId(plan.honest))
    this.witness = new Witness(honestFiles, now)
    this.liar = plan.liar && new Liar(deviceId(plan.honest), this.files, plan.liar.manner, random)
    const events: NetworkEvents = {
      arrives: (route, frame) => this.#arrives(route, frame),
      refuses: (route) => this.#refuses(route, 'relay_full'),
      isSource: ({ from }, item) => this.files.some(({ id, owner }) => id === item && owner === from),
    }
    this.network = new Network(events, random, now)
    this.devices = Array.from({ length: plan.honest }, (_, number) => this.#newDevice(deviceId(number)))
    this.#here = new Set(this.devices.map(({ id }) => id))
    this.#list()
  }

  #newDevice(id: DeviceId): StageDevice {
    const device = new StageDevice(id)
    device.unsent = () => device.outgoing.reduce((sum, { frame }) => sum + frame.byteLength, 0)
    device.onSent = ({ from, to, frame }) => this.witness.sent({ from, to, pipe: null }, this.#leaves(frame))
    device.seal = this.plan.isSealed ? SEAL : undefined
    // The witness knows who gave what waits for the disk only where it is written as it comes.
    const disk = this.plan.isSealed ? 0 : this.plan.disk
    device.sink = (file) => this.witness.open(id, file, disk)
    return device
  }

  /** Lets time pass until it is over, or until something is so. */
  async passes(milliseconds: number, until: () => boolean = () => false): Promise<void> {
    const end = now() + milliseconds
    while (now() < end && !until()) {
      this.#speak()
      this.#takeFromRelay()
      this.#takeFromLinks()
      this.network.runs()
      vi.advanceTimersByTime(Math.min(STEP_MS, end - now()))
      // Everything that waits for no timer comes first.
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  // --- devices -----------------------------------------------------------------------------------------------------

  /** Tells every device who is here. */
  #list(): void {
    const { rtc } = this.plan
    const liars = this.liar ? [this.liar.id] : []
    for (const { id, engine } of this.devices) {
      if (!this.#here.has(id)) continue
      const others = [...this.#here, ...liars].filter((other) => other !== id)
      engine.handle({ do: 'devices', devices: others.map((other) => ({ id: other, rtc })) })
    }
  }

  isHere({ id }: StageDevice): boolean {
    return this.#here.has(id)
  }

  leaves(device: StageDevice): void {
    this.#here.delete(device.id)
    device.engine.handle({ do: 'relay', use: null })
    device.outgoing.length = 0
    for (const { id } of this.devices) this.witness.forgetsExpected(id)
    this.#list()
  }

  comesBack(device: StageDevice): void {
    this.#here.add(device.id)
    device.engine.handle({ do: 'relay', use: 'fallback' })
    this.#list()
  }

  /** Replaces a device by a new one of the same id, which knows nothing. */
  reload(number: number): StageDevice {
    const old = at(this.devices, number)
    for (const link of this.#links.filter((link) => link.isAt(old.id))) this.#cut(link, old.id, LAG_MS)
    this.leaves(old)
    old.engine.handle({ do: 'devices', devices: [] })
    this.witness.forgets(old.id)
    const fresh = this.#newDevice(old.id)
    this.devices[this.devices.indexOf(old)] = fresh
    this.comesBack(fresh)
    return fresh
  }

  // --- frames ------------------------------------------------------------------------------------------------------

  #takeFromRelay(): void {
    for (const { id: from, outgoing } of this.devices) {
      for (let chunks = 0; chunks < this.plan.uplink; ) {
        const [next] = outgoing.splice(0, 1)
        if (!next) break
        if (chunkBytes(next.frame) > 0) chunks += 1
        this.network.carries({ from, to: next.to, pipe: null }, this.#leaves(next.frame))
      }
    }
  }

  #takeFromLinks(): void {
    for (const link of this.#links) {
      const [one, other] = link.ends
      this.#takeFromEnd(link, one, other)
      this.#takeFromEnd(link, other, one)
    }
    this.#links = this.#links.filter(({ isOpen }) => isOpen)
  }

  #takeFromEnd(link: Pipe, end: PipeEnd, other: PipeEnd): void {
    // A device may close its end by itself, as on a link that is dead (L2).
    if (end.isClosed) return this.#cut(link, end.at, LAG_MS)
    for (const frame of end.take(this.plan.uplink))
      this.network.carries({ from: end.at, to: other.at, pipe: link.key }, this.#leaves(frame))
  }

  /** Returns a frame of a device as the world sees it. */
  #leaves(frame: ArrayBuffer): ArrayBuffer {
    return this.plan.isSealed ? inClear(frame) : frame
  }

  /** Returns a frame as a device gets it. Of the chunks that are wrong, every other one does not open either. */
  #comes(frame: ArrayBuffer): ArrayBuffer {
    if (!this.plan.isSealed) return frame
    const read = decodeFrame(frame)
    const file = this.files.find(({ id }) => read?.type === 'chunk' && id === read.transfer)
    return inSealed(frame, (chunk, bytes) => {
      const truth = file?.bytes.subarray(chunk * CHUNK_BYTES, chunk * CHUNK_BYTES + bytes.byteLength)
      return chunk % 2 === 0 || (truth !== undefined && Buffer.compare(truth, bytes) === 0)
    })
  }

  #arrives(route: Route, frame: ArrayBuffer): void {
    const { from, to, pipe } = route
    const end = this.#links.find(({ key }) => key === pipe)?.ends.find((one) => one.at === to)
    if (pipe !== null && (!end || end.isClosed)) return
    if (to === this.liar?.id) return this.#liarHears(route, frame)
    const device = this.devices.find(({ id }) => id === to)
    if (!device || (pipe === null && !this.#here.has(to))) return this.#refuses(route, 'device_gone')
    this.witness.came(route, decodeFrame(frame))
    if (end) end.hears(this.#comes(frame))
    else device.hears({ from, to, frame: this.#comes(frame) })
  }

  /** The server tells a device that it does not forward its frames. */
  #refuses({ from, to }: Route, why: ErrorCode): void {
    if (!this.#here.has(from)) return
    this.witness.forgetsExpected(from)
    this.devices.find(({ id }) => id === from)?.engine.handle({ do: 'refused', device: to, why })
  }

  // --- direct links ------------------------------------------------------------------------------------------------

  link([one, other]: readonly [number, number]): void {
    const all = this.liar ? [...this.devices, this.liar] : this.devices
    this.#link(at(all, one).id, at(all, other).id)
  }

  #link(one: DeviceId, other: DeviceId): void {
    const ends = [this.#deviceOf(one), this.#deviceOf(other)] as const
    if (one === other || this.#links.length >= MOST_LINKS) return
    this.#linkCount += 1
    const sent = (route: Route, frame: ArrayBuffer) => this.witness.sent(route, this.#leaves(frame))
    this.#links.push(new Pipe(`link ${this.#linkCount}`, ends, sent))
  }

  /** The liar has no engine. */
  #deviceOf(id: DeviceId): { readonly id: DeviceId; readonly engine?: Engine } {
    return this.devices.find((device) => device.id === id) ?? { id }
  }

  cut(number: number, end: 0 | 1, lag: number): void {
    const link = this.#links[number % Math.max(1, this.#links.length)]
    if (link) this.#cut(link, link.ends[end].at, lag)
  }

  /** A link ends, and is built anew as the pages do (L3). */
  #cut(link: Pipe, first: DeviceId, lag: number): void {
    if (this.#closing.has(link)) return
    this.#closing.add(link)
    this.#closes(link, ({ at }) => at === first)
    this.network.later(lag, () => this.#closes(link, () => true))
    const [one, other] = link.ends
    this.network.later(lag + REBUILD_MS, () => this.#link(one.at, other.at))
  }

  #closes(link: Pipe, isMeant: (end: PipeEnd) => boolean): void {
    for (const end of link.ends) {
      this.witness.forgetsExpected(end.at)
      if (isMeant(end)) end.closes()
    }
  }

  // --- the liar ----------------------------------------------------------------------------------------------------

  #liarHears({ from: to, pipe }: Route, frame: ArrayBuffer): void {
    const { liar } = this
    if (!liar || !this.lies) return
    for (const answer of liar.answers(frame))
      this.network.carries({ from: liar.id, to, pipe }, answer.slice().buffer)
  }

  liesTo({ id: to }: StageDevice, lie: Lie): void {
    const { liar } = this
    if (!liar) return
    const pipe = this.#links.findLast((link) => link.isAt(liar.id) && link.isAt(to))?.key ?? null
    this.network.carries({ from: liar.id, to, pipe }, liar.says(lie).buffer)
  }

  #speak(): void {
    if (!this.lies || now() - this.#liedAt < HABIT_MS) return
    this.#liedAt = now()
    for (const device of this.devices)
      for (const habit of this.plan.liar?.habits ?? []) this.liesTo(device, habit)
  }

  /** From now on nothing goes wrong, but that the liar goes on. */
  calms(): void {
    this.network.weather = CALM
    for (const device of this.devices) if (!this.isHere(device)) this.comesBack(device)
  }
}

export const now = () => performance.now()

/** No two files have an equal chunk. The liar's own comes last. */
function filesOf({ files, liar, honest }: Plan): readonly SharedFile[] {
  const shared = files.map(({ size, owner }) => ({ size, owner: owner % honest }))
  const all = liar?.shares == null ? shared : [...shared, { size: liar.shares, owner: honest }]
  return all.map(({ size, owner }, number) => ({
    id: itemId(number),
    bytes: bytes(size).map((byte) => byte ^ (number * 85)),
    owner: deviceId(owner),
  }))
}
