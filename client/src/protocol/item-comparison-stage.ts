/** For tests: devices that compare what a server gives them, and a server that is honest until it is told otherwise. */
import type { DeviceId, ItemId } from './bindings'
import { type ComparisonInput, type ComparisonMessage, ItemComparison, textOfGiven } from './item-comparison'

type FromServer =
  | { readonly is: 'item'; readonly id: ItemId; readonly version: string }
  | { readonly is: 'deleted'; readonly id: ItemId }
  | { readonly is: 'everything'; readonly items: ReadonlyMap<ItemId, string> }
  | { readonly is: 'listed'; readonly devices: readonly DeviceId[] }
  | { readonly is: 'told'; readonly from: DeviceId; readonly message: ComparisonMessage }

/** What a server does to what one device is sent: null for what it withholds. */
type Hook = (sent: FromServer) => FromServer | null

/** The versions of an item, named by the page that has sealed them, and counted. */
const versionOf = (page: string, number: number) => `${page} ${number}`
const partsOf = (version: string) => version.split(' ') as [page: string, number: string]

/** A device in a beam, whose page forgets everything with a reload. */
class StagedDevice {
  given = new Map<ItemId, string>()
  /** What the server has sent and this device has not read, in order. */
  inbox: FromServer[] = []
  /** What this device has sent and the server has not read, in order. */
  outbox: (() => void)[] = []
  isHere = true
  hook: Hook = (sent) => sent
  comparison = this.#newComparison()
  /** How often it was loaded again: each page seals as another one. */
  #reloads = 0
  /** The versions that were replaced here, each with how many were so before it. */
  #replaced = new Map<string, number>()

  constructor(
    readonly id: DeviceId,
    readonly stage: ComparisonStage,
  ) {}

  #newComparison(): ItemComparison {
    return new ItemComparison({
      given: () => this.given,
      replaced: () => this.#replaced.size,
      isPast: (id, version, since) =>
        (this.#replaced.get(version) ?? -1) >= since || isOlder(version, this.given.get(id)),
    })
  }

  get page(): string {
    return `${this.id}.${this.#reloads}`.replaceAll(' ', '-')
  }

  get missing(): readonly ItemId[] {
    return [...this.comparison.missing]
  }

  reloads(): void {
    this.given = new Map()
    this.#replaced = new Map()
    this.#reloads += 1
    this.comparison = this.#newComparison()
    this.connects()
  }

  /** Everything that was on its way is lost. */
  connects(): void {
    this.inbox = []
    this.outbox = []
    this.isHere = true
    this.tell({ is: 'connected' })
    this.stage.lists()
    this.asksForEverything()
  }

  leaves(): void {
    this.inbox = []
    this.outbox = []
    this.isHere = false
    this.stage.lists()
  }

  asksForEverything(): void {
    this.says(() => this.stage.sends(this, { is: 'everything', items: this.stage.kept() }))
  }

  says(what: () => void): void {
    if (this.isHere) this.outbox.push(what)
  }

  reads(): void {
    const sent = this.inbox.shift()
    if (sent) this.#hears(sent)
  }

  tell(input: ComparisonInput): void {
    for (const output of this.comparison.handle(input, this.stage.now)) {
      if (output.do === 'sync') this.asksForEverything()
      else this.says(() => this.stage.forwards(this.id, output.to, output.message))
    }
  }

  #hears(sent: FromServer): void {
    switch (sent.is) {
      case 'item': {
        const before = this.given.get(sent.id)
        if (before !== undefined && before !== sent.version && !this.#replaced.has(before))
          this.#replaced.set(before, this.#replaced.size)
        this.given.delete(sent.id)
        this.given.set(sent.id, sent.version)
        return this.tell({ is: 'changed' })
      }
      case 'deleted':
        this.given.delete(sent.id)
        return this.tell({ is: 'changed' })
      case 'everything':
        this.given = new Map(sent.items)
        return this.tell({ is: 'synced' })
      case 'listed': {
        const at = sent.devices.indexOf(this.id)
        const devices = [...sent.devices.slice(at + 1), ...sent.devices.slice(0, at)]
        return this.tell({ is: 'listed', devices })
      }
      case 'told':
        return this.tell({ is: 'heard', from: sent.from, message: sent.message })
    }
  }
}

/** Whether one page has sealed two versions, this one before the other. */
function isOlder(version: string, other: string | undefined): boolean {
  const [[page, number], [samePage, later]] = [partsOf(version), partsOf(other ?? '')]
  return page === samePage && Number(number) < Number(later)
}

export class ComparisonStage {
  now = 0
  readonly devices: readonly StagedDevice[]
  /** Every message between devices. */
  readonly told: ComparisonMessage[] = []
  readonly #items = new Map<ItemId, string>()
  readonly #most: number
  #versions = 0

  /** @param most items that the server keeps: it drops the oldest, and tells nobody */
  constructor(devices: number, most = Number.POSITIVE_INFINITY) {
    this.#most = most
    this.devices = Array.from(
      { length: devices },
      (_, at) => new StagedDevice(`device ${at}` as DeviceId, this),
    )
    for (const device of this.devices) device.connects()
  }

  device(at: number): StagedDevice {
    const device = this.devices[at]
    if (!device) throw new Error(`There is no device ${at}.`)
    return device
  }

  /** A device shares an item, or replaces it. */
  shares(by: number, id: string): void {
    this.device(by).says(() => {
      this.#versions += 1
      const version = versionOf(this.device(by).page, this.#versions)
      this.#items.delete(id as ItemId)
      this.#items.set(id as ItemId, version)
      const [oldest] = this.#items.keys()
      if (this.#items.size > this.#most && oldest !== undefined) this.#items.delete(oldest)
      this.#toAll({ is: 'item', id: id as ItemId, version })
    })
  }

  deletes(by: number, id: string): void {
    this.device(by).says(() => {
      if (this.#items.delete(id as ItemId)) this.#toAll({ is: 'deleted', id: id as ItemId })
    })
  }

  /** The server drops an item and tells nobody, as for lack of room. */
  forgets(id: string): void {
    this.#items.delete(id as ItemId)
  }

  kept(): ReadonlyMap<ItemId, string> {
    return new Map(this.#items)
  }

  lists(): void {
    const devices = this.devices.filter(({ isHere }) => isHere).map(({ id }) => id)
    this.#toAll({ is: 'listed', devices })
  }

  forwards(from: DeviceId, to: DeviceId, message: ComparisonMessage): void {
    this.told.push(message)
    const device = this.devices.find(({ id }) => id === to)
    if (device) this.sends(device, { is: 'told', from, message })
  }

  sends(device: StagedDevice, sent: FromServer): void {
    const passed = device.isHere ? device.hook(sent) : null
    if (passed) device.inbox.push(passed)
  }

  /** Something happens that is under way: a message is read, or the time of a device has come. Returns false where nothing is. */
  goesOn(random: () => number): boolean {
    const steps = this.devices.flatMap((device) => [
      ...(device.inbox.length > 0 ? [() => device.reads()] : []),
      ...(device.outbox.length > 0 ? [() => device.outbox.shift()?.()] : []),
      ...(device.isHere && (device.comparison.dueAt ?? Number.POSITIVE_INFINITY) <= this.now
        ? [() => device.tell({ is: 'due', digest: textOfGiven(device.given) })]
        : []),
    ])
    steps[Math.floor(random() * steps.length)]?.()
    return steps.length > 0
  }

  /** Everything that is under way arrives, for so many seconds. */
  settles(random: () => number, seconds = 120): void {
    for (let second = 0; second < seconds; second += 1) {
      while (this.goesOn(random)) {}
      this.now += 1_000
    }
  }

  #toAll(sent: FromServer): void {
    for (const device of this.devices) this.sends(device, sent)
  }
}
