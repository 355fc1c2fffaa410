/** Runs the comparison of what the server gives to the devices of a sealed beam (E14): its clock, its digests, its signals. */
import { digestOf } from '../crypto/digest'
import { envelopeName } from '../crypto/envelope'
import type { DeviceId, ItemId, LiveItem } from '../protocol/bindings'
import {
  type Compared,
  type ComparisonInput,
  type ComparisonMessage,
  type Given,
  ItemComparison,
  textOfGiven,
} from '../protocol/item-comparison'
import { isEnvelope } from '../protocol/sealed-item'

export interface MissingItemsEvents extends Omit<Compared, 'given'> {
  /** Returns what the server has given to this device and not deleted. */
  given(): readonly LiveItem[]
  tell(to: DeviceId, message: ComparisonMessage): void
  /** Asks the server for everything. */
  sync(): void
  onMissing(count: number): void
}

export class MissingItems {
  readonly #comparison: ItemComparison
  readonly #events: MissingItemsEvents
  #timer: ReturnType<typeof setTimeout> | null = null
  #count = 0
  #hasEnded = false

  constructor(events: MissingItemsEvents) {
    this.#events = events
    this.#comparison = new ItemComparison({
      given: () => versionsOf(events.given()),
      replaced: () => events.replaced(),
      isPast: (id, version, since) => events.isPast(id, version, since),
    })
    events.onMissing(0)
  }

  /** @param all the devices that seal, in the order in which they joined */
  listed(all: readonly DeviceId[], me: DeviceId | null): void {
    const at = me === null ? -1 : all.indexOf(me)
    this.hear({ is: 'listed', devices: [...all.slice(at + 1), ...all.slice(0, Math.max(at, 0))] })
  }

  hear(input: ComparisonInput): void {
    if (this.#hasEnded) return
    for (const output of this.#comparison.handle(input, Date.now())) {
      if (output.do === 'sync') this.#events.sync()
      else this.#events.tell(output.to, output.message)
    }
    this.#tell(this.#comparison.missing.size)
    this.#wait()
  }

  end(): void {
    this.#hasEnded = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#tell(0)
  }

  #tell(count: number): void {
    if (count === this.#count) return
    this.#count = count
    this.#events.onMissing(count)
  }

  #wait(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    const { dueAt } = this.#comparison
    this.#timer = dueAt === null ? null : setTimeout(() => void this.#due(), Math.max(0, dueAt - Date.now()))
  }

  async #due(): Promise<void> {
    const digest = await digestOf(textOfGiven(versionsOf(this.#events.given())))
    this.hear({ is: 'due', digest })
  }
}

/** What is not sealed, nobody can compare: the server could have made it up. */
function versionsOf(items: readonly LiveItem[]): Given {
  const versions = new Map<ItemId, string>()
  for (const { id, message } of items) if (isEnvelope(message)) versions.set(id, envelopeName(message))
  return versions
}
