/**
 * Gets the items that the server has dropped for lack of room from a device that still has them, and sends them to
 * others (S29). Tells the person when the server has dropped some.
 */
import { t } from '@lingui/core/macro'
import type { DeviceId, LiveItem } from '../protocol/bindings'
import {
  acceptable,
  joinParts,
  type OlderPage,
  type OlderPart,
  olderAnswer,
  readOlder,
} from '../protocol/older-items'
import { isStored } from '../stores/keeping'
import type { Stores } from '../stores/stores'
import type { LiveBeam } from '../transport/live-beam'
import type { Toaster } from './toaster'

/** A device that has not answered within so many milliseconds is given up for the next one. The last one is waited for, on however slow a wire. */
const ANSWER_WITHIN_MS = 5_000
/** Most items that are taken from other devices: as many as a saved beam shows. */
const MOST_ITEMS = 5_000
/** Most pages for one device, and from others in one search, so that none can keep this one busy. */
const MOST_PAGES = 1_000

const tooMany = (most: number) =>
  t`More than the server keeps (${most} items, 8 MB): the oldest are now only on the devices that are here. A saved beam keeps more, but not what is gone from the server.`

interface Search {
  /** The devices to ask, the one asked now first. */
  readonly devices: readonly DeviceId[]
  readonly before: number
  readonly taken: number
  readonly pages: number
  /** How many of the items that the server has dropped are neither here nor known to be deleted. */
  readonly missing: number
  /** The parts of the page that is asked for, as far as they have come. */
  readonly parts: readonly string[]
}

export class OlderItems {
  readonly #stores: Stores
  readonly #toaster: Toaster
  readonly #live: () => LiveBeam
  readonly #signal: (to: DeviceId, message: unknown) => void
  readonly #take: (items: readonly LiveItem[]) => void
  readonly #served = new Map<DeviceId, number>()
  readonly #unsubscribe: () => void
  #search: Search | null = null
  #late: ReturnType<typeof setTimeout> | null = null
  #hasTold = false
  /** The device that has sent all that it had, and how many were missing then: deleted while this one was away. */
  #asked: { readonly device: DeviceId; readonly missing: number } | null = null

  /**
   * @param signal sends a device a signal
   * @param take shows items of another device
   */
  constructor(
    stores: Stores,
    toaster: Toaster,
    live: () => LiveBeam,
    signal: (to: DeviceId, message: unknown) => void,
    take: (items: readonly LiveItem[]) => void,
  ) {
    this.#stores = stores
    this.#toaster = toaster
    this.#live = live
    this.#signal = signal
    this.#take = take
    this.#unsubscribe = stores.items.subscribe(({ items }) => {
      if (items.length > this.#most()) this.#tell()
    })
  }

  /** The server has sent what it has. Of what is older than its memory it may have some again (S28). */
  synced(oldest: number, dropped: number, there: readonly { seq: number }[]): void {
    this.#end()
    if (dropped === 0 || this.#isSaved()) return
    this.#tell()
    const back = there.filter(({ seq }) => seq < oldest).length
    const missing = dropped - (this.#live().memory.countBelow(oldest) - back)
    if (missing <= 0) return
    const { devices, me } = this.#stores.devices.getState()
    const others = devices.filter(({ device_id, caps }) => device_id !== me && caps.includes('files'))
    const ids = others.map(({ device_id }) => device_id)
    const asked = this.#asked
    if (asked !== null && ids.includes(asked.device) && missing <= asked.missing) return
    this.#ask({ devices: ids, before: oldest, taken: 0, pages: 0, missing, parts: [] })
  }

  /** Takes a signal. Returns false when it is about something else. */
  heard(from: DeviceId, signal: unknown): boolean {
    const message = readOlder(signal)
    if (message === null) return false
    if ('ask' in message) this.#serve(from, message.before)
    else if ('part' in message) this.#receivedPart(from, message)
    else this.#received(from, message)
    return true
  }

  /** A device could not be reached. */
  gone(device: DeviceId): void {
    if (this.#search?.devices[0] === device) this.#askNext()
  }

  end(): void {
    this.#end()
    this.#unsubscribe()
  }

  #serve(to: DeviceId, before: number): void {
    const served = this.#served.get(to) ?? 0
    if (served >= MOST_PAGES || this.#isSaved()) return
    this.#served.set(to, served + 1)
    for (const message of olderAnswer(this.#live().memory.below(before))) this.#signal(to, message)
  }

  #receivedPart(from: DeviceId, { part, at, of }: OlderPart): void {
    const search = this.#search
    if (search === null || search.devices[0] !== from) return
    // The others are of a page that was asked for before.
    if (at !== 0 && at !== search.parts.length) return
    const parts = [...search.parts.slice(0, at), part]
    // A page that is begun anew counts as one, or it could be begun for ever.
    const pages = search.pages + (at < search.parts.length ? 1 : 0)
    if (pages >= MOST_PAGES) return this.#askNext()
    if (parts.length < of) return this.#await({ ...search, parts, pages })
    const page = joinParts(parts)
    if (page) this.#received(from, page)
    else this.#askNext()
  }

  #received(from: DeviceId, { items, next }: OlderPage): void {
    const search = this.#search
    if (search === null || search.devices[0] !== from) return
    // A late answer to what was asked before a sync may have come in between: this page is of another question.
    if (items.some(({ seq }) => seq >= search.before)) return
    const live = this.#live()
    const deletions = new Set(live.deletions)
    const fresh = acceptable(items, search.before, (id) => live.memory.knows(id) || deletions.has(id))
    live.memory.remember(fresh)
    if (fresh.length > 0) this.#take(fresh)
    const [taken, pages] = [search.taken + items.length, search.pages + 1]
    const missing = search.missing - fresh.length
    const isLast = next === null || items.length === 0
    if (isLast && taken === 0) return this.#askNext()
    if (isLast) this.#asked = { device: from, missing }
    if (isLast || next >= search.before || taken >= MOST_ITEMS || pages >= MOST_PAGES) return this.#end()
    this.#ask({ ...search, before: next, taken, pages, missing, parts: [] })
  }

  #ask(search: Search): void {
    const [device] = search.devices
    if (device === undefined) return this.#end()
    this.#await(search)
    this.#signal(device, { ask: 'older', before: search.before })
  }

  #await(search: Search): void {
    this.#end()
    this.#search = search
    if (search.devices.length > 1) this.#late = setTimeout(() => this.#askNext(), ANSWER_WITHIN_MS)
  }

  #askNext(): void {
    if (this.#search) this.#ask({ ...this.#search, devices: this.#search.devices.slice(1), parts: [] })
  }

  #end(): void {
    if (this.#late !== null) clearTimeout(this.#late)
    this.#late = null
    this.#search = null
  }

  #tell(): void {
    const access = this.#stores.access.getState()
    if (this.#hasTold || access.kind !== 'unsaved') return
    if (isStored(access, this.#stores.keeping.getState())) return
    this.#hasTold = true
    this.#toaster.info(tooMany(this.#most()))
  }

  #most(): number {
    return this.#stores.limits.getState().live_items
  }

  #isSaved(): boolean {
    return this.#stores.access.getState().kind === 'saved'
  }
}
