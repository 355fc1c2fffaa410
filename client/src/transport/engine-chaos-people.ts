/** For tests: the people at the devices of a world: what they ask for, and what has to come of it. */
import { vi } from 'vitest'
import type { DeviceId, ItemId } from '../protocol/bindings'
import { at, type Happening, type Plan, World } from './engine-chaos'
import type { SharedFile } from './engine-chaos-liar'
import { plainFile } from './engine-chaos-witness'
import type { Progress } from './engine-messages'
import { incomingFile, type StageDevice } from './engine-stage'

/** Within this time after the last fault everything is to be done, in milliseconds. */
const MOST_HEALING_MS = 180_000
/** Within this time after that every device is to rest: an end that nobody answers is said for 40 s (F7). */
const MOST_RESTING_MS = 120_000

type Action<Do extends Happening['do']> = Extract<Happening, { do: Do }>

/** One device that receives one file. */
interface Pair {
  readonly device: StageDevice
  readonly file: SharedFile
  readonly name: string
}

export class People {
  readonly world: World
  /** What the person at each receiver wants. */
  readonly #wishes = new Map<string, 'file' | 'nothing'>()
  /** Transfers that the one who shared the file has ended: each is done or cancelled, whichever came first. */
  readonly #calledOff = new Set<string>()
  /** The devices whose pages began anew, and those that have not chosen their files again since. */
  readonly #reloaded = new Set<DeviceId>()
  readonly #without = new Set<DeviceId>()

  constructor(readonly plan: Plan) {
    this.world = new World(plan)
    for (const device of this.world.devices) this.#offers(device)
    if (plan.isEager) for (const pair of this.#pairs()) this.#asks(pair)
  }

  /** Lives through the plan, and returns what went wrong. */
  async live(): Promise<readonly string[]> {
    const { world } = this
    for (const [after, happening] of this.plan.happenings) {
      await world.passes(after)
      this.#happens(happening)
    }
    this.#heals()
    await world.passes(MOST_HEALING_MS, () => this.#unsettled().length === 0)
    const late = this.#unsettled()
    world.lies = false
    const isAtRest = () => vi.getTimerCount() === 0 && world.network.isEmpty
    await world.passes(MOST_RESTING_MS, isAtRest)
    const timers = isAtRest() ? [] : [`${vi.getTimerCount()} timers still run`]
    return [...world.witness.breaches, ...late, ...(await this.#wrong()), ...this.#unsaid(), ...timers]
  }

  #pairs(): readonly Pair[] {
    return this.world.files.flatMap((file) =>
      this.world.devices
        .filter(({ id }) => id !== file.owner)
        .map((device) => ({ device, file, name: `${device.id} ${file.id}` })),
    )
  }

  /** The transfers between devices that keep to the protocol. */
  #honestPairs(): readonly Pair[] {
    return this.#pairs().filter(({ file }) => file.owner !== this.world.liar?.id)
  }

  #offers({ id, engine, seal }: StageDevice): void {
    this.#without.delete(id)
    for (const file of this.world.files)
      if (file.owner === id) engine.handle({ do: 'offer', id: file.id, file: plainFile(file.bytes), seal })
  }

  #asks({ device, file: { id, bytes, owner }, name }: Pair): void {
    if (device.last('receiving', id)?.status === 'done') return
    this.#wishes.set(name, 'file')
    const file = { ...incomingFile(bytes.byteLength, device, id), from: owner, seal: device.seal }
    device.engine.handle({ do: 'receive', file, picked: null })
  }

  #happens(happening: Happening): void {
    const { world } = this
    switch (happening.do) {
      case 'weather':
        world.network.weather = happening.weather
        return
      case 'ask':
      case 'pause':
      case 'resume':
      case 'cancel':
        return this.#receiverActs(happening)
      case 'hold':
      case 'release':
      case 'callOff':
        return this.#senderActs(happening)
      case 'socket': {
        const device = at(world.devices, happening.device)
        return world.isHere(device) ? world.leaves(device) : world.comesBack(device)
      }
      case 'reload':
        return this.#reloads(happening)
      case 'passOn':
        return at(world.devices, happening.device).passesOn(happening.isAllowed)
      case 'link':
        return world.link(happening.between)
      case 'cut':
        return world.cut(happening.link, happening.end, happening.lag)
      case 'lie':
        for (let time = 0; time < happening.times; time++)
          world.liesTo(at(world.devices, happening.to), happening.lie)
    }
  }

  #receiverActs(happening: Action<'ask' | 'pause' | 'resume' | 'cancel'>): void {
    const file = at(this.world.files, happening.file)
    const device = at(
      this.world.devices.filter(({ id }) => id !== file.owner),
      happening.device,
    )
    const pair = { device, file, name: `${device.id} ${file.id}` }
    if (happening.do === 'ask') return this.#asks(pair)
    this.world.witness.forgetsExpected(device.id)
    if (happening.do === 'pause') return device.pauses(file.id)
    if (happening.do === 'resume') return device.resumes(file.id)
    device.cancels(file.id)
    if (this.#statusOf(pair) !== 'done') this.#wishes.set(pair.name, 'nothing')
  }

  #senderActs(happening: Action<'hold' | 'release' | 'callOff'>): void {
    const { id, owner } = at(this.world.files, happening.file)
    const source = this.world.devices.find((device) => device.id === owner)
    if (!source) return
    const receivers = this.world.devices.filter((device) => device !== source)
    const device = happening.to === null ? null : at(receivers, happening.to).id
    const does = { hold: 'pause', release: 'resume', callOff: 'cancel' } as const
    source.engine.handle({ do: does[happening.do], id, device })
    if (happening.do !== 'callOff') return
    for (const receiver of receivers)
      if (device === null || receiver.id === device) this.#calledOff.add(`${receiver.id} ${id}`)
  }

  #reloads({ device: number, hasFiles }: Action<'reload'>): void {
    const device = this.world.reload(number)
    this.#reloaded.add(device.id)
    this.#without.add(device.id)
    if (hasFiles) this.#offers(device)
    for (const pair of this.#pairs())
      if (pair.device === device && this.#wishes.get(pair.name) === 'file') this.#asks(pair)
  }

  /** Everybody is here, has the files, and wants them; of the liar nobody wants anything more. */
  #heals(): void {
    const { world } = this
    world.calms()
    for (const device of world.devices) {
      if (this.#without.has(device.id)) this.#offers(device)
      for (const { id } of world.files) device.resumes(id)
    }
    for (const pair of this.#honestPairs()) if (!this.#wishes.has(pair.name)) this.#asks(pair)
    for (const { device, file } of this.#pairs()) if (file.owner === world.liar?.id) device.cancels(file.id)
  }

  #statusOf({ device, file }: Pair): Progress['status'] | undefined {
    return device.last('receiving', file.id)?.status
  }

  /** The transfers that have not come to their end. */
  #unsettled(): string[] {
    return this.#honestPairs().flatMap((pair) => {
      const progress = pair.device.last('receiving', pair.file.id)
      return this.#isSettled(pair, progress?.status) ? [] : [`${pair.name}: ${JSON.stringify(progress)}`]
    })
  }

  #isSettled({ name }: Pair, status: Progress['status'] | undefined): boolean {
    if (this.#wishes.get(name) === 'nothing') return status === undefined || ENDED.has(status)
    return status === 'done' || (status === 'cancelled' && this.#calledOff.has(name))
  }

  /** Files that are not what was shared, and transfers that failed without a reason to. */
  async #wrong(): Promise<string[]> {
    const wrong: string[] = []
    for (const { device, file, name } of this.#honestPairs()) {
      const has = await device.has(file.id)
      if (has && !has.equals(file.bytes)) wrong.push(`${name}: is not what was shared`)
      for (const event of device.news)
        if (event.say === 'receiving' && event.id === file.id && !this.#mayFail(file, event.progress))
          wrong.push(`${name}: ${JSON.stringify(event.progress)}`)
    }
    return wrong
  }

  #mayFail({ owner }: SharedFile, progress: Progress): boolean {
    return progress.status !== 'failed' || (progress.why.reason === 'gone' && this.#reloaded.has(owner))
  }

  /** Files that are received, and of which the device that shared them was not told (F7). */
  #unsaid(): string[] {
    return this.#honestPairs().flatMap((pair) => {
      const { device, file, name } = pair
      const source = this.world.devices.find(({ id }) => id === file.owner)
      if (!source || this.#reloaded.has(source.id) || this.#calledOff.has(name)) return []
      if (this.#statusOf(pair) !== 'done') return []
      const said = lastSent(source, file.id, device.id)?.status
      return said === 'done' ? [] : [`${name}: its source says ${said}`]
    })
  }
}

const ENDED: ReadonlySet<Progress['status']> = new Set(['cancelled', 'failed'])

function lastSent({ news }: StageDevice, id: ItemId, device: DeviceId): Progress | null {
  const event = news.findLast((one) => one.say === 'sending' && one.id === id && one.device === device)
  return event?.say === 'sending' ? event.progress : null
}
