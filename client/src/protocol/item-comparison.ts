/**
 * Devices tell each other what the server has given them, so that one to which it gave less, or an older version, notices
 * (E14). An honest server gives every device the same, and before it passes on what another says of it. A device that says
 * what it has asks the server for everything first, so what the server has dropped or lost meanwhile is missing nowhere.
 */
import * as v from 'valibot'
import type { DeviceId, ItemId } from './bindings'

/** By item, the name of the version that the server has given. */
export type Given = ReadonlyMap<ItemId, string>

/** What one device tells another, sealed as a signal. */
export type ComparisonMessage = v.InferOutput<typeof schema>

/** A digest is told when nothing has changed for so long, in milliseconds, and after `LATEST_MS` in any case. */
const QUIET_MS = 2_000
const LATEST_MS = 20_000
/** So long until a device is asked again about the same difference. */
const AGAIN_MS = 30_000
/** The newest items that are listed: with names of versions they fill less than half of a message (S14). */
export const MOST_LISTED = 1_000
/** A device compares itself with so many that are before it in the list of devices, and with so many after it. */
const NEIGHBOURS = 4

const text = v.pipe(v.string(), v.maxLength(100))
const round = v.pipe(v.number(), v.safeInteger())
const schema = v.variant('items', [
  /** Of what the sender was given. `hasYours`: whether it knows that of the other device. */
  v.object({ items: v.literal('digest'), digest: text, hasYours: v.boolean() }),
  v.object({ items: v.literal('ask'), round }),
  v.object({
    items: v.literal('list'),
    round,
    list: v.pipe(v.array(v.tuple([v.pipe(v.string(), v.uuid()), text])), v.maxLength(MOST_LISTED)),
  }),
])

export type ComparisonInput =
  /** The other devices that seal, in the order of `authed_users`, rotated so that this device would come first. */
  | { readonly is: 'listed'; readonly devices: readonly DeviceId[] }
  /** The socket is new: what was told over the old one may be lost. */
  | { readonly is: 'connected' }
  /** The server has given or deleted something. */
  | { readonly is: 'changed' }
  /** The server has given everything that it has (S11). */
  | { readonly is: 'synced' }
  | { readonly is: 'heard'; readonly from: DeviceId; readonly message: ComparisonMessage }
  /** It is `dueAt`. @param digest of what the server has given */
  | { readonly is: 'due'; readonly digest: string }
  /** The person tries again. */
  | { readonly is: 'retried' }

export type ComparisonOutput =
  | { readonly do: 'tell'; readonly to: DeviceId; readonly message: ComparisonMessage }
  /** The server is to be asked for everything. */
  | { readonly do: 'sync' }

interface Peer {
  /** The digest that it has told last over this socket; null before. */
  digest: string | null
  /** The digest of this device that it has been told; null where it may not know. */
  told: string | null
  /** The difference, as both digests, that was asked about last, and when. */
  asked: { readonly about: string; readonly at: number } | null
  /** The number of the question that it has not answered yet. */
  open: number | null
  /** How many versions had been replaced here when it was asked last. */
  since: number
  /** What it had and this device had not, by its last answer. */
  lacking: Given
  /** What was lacking still after the server had been asked for everything. */
  missing: Given
  /** Whether it is asked again after the next `synced`. */
  isDoubted: boolean
  /** The number of its own question. It is answered after the next `synced`. */
  asks: number | null
}

/** What this device knows of the items that it compares. */
export interface Compared {
  /** Returns what the server has given to this device, the oldest first. */
  given(): Given
  /** Returns how many versions have been replaced here by others that came after them. */
  replaced(): number
  /**
   * Whether this device is deleting the item, or has a version that is certainly newer.
   * @param since how many versions had been replaced here when the other device was asked: it cannot have been given what was
   *   replaced before
   */
  isPast(id: ItemId, version: string, since: number): boolean
}

export class ItemComparison {
  readonly #peers = new Map<DeviceId, Peer>()
  readonly #items: Compared
  #digest: string | null = null
  #round = 0
  /** When to be told the digest, in the milliseconds of `now`; null when there is nothing to compare. */
  #dueAt: number | null = null
  #latestAt = Number.POSITIVE_INFINITY

  constructor(items: Compared) {
    this.#items = items
  }

  get dueAt(): number | null {
    return this.#dueAt
  }

  /** The items that another device has been given, and this one has not. */
  get missing(): ReadonlySet<ItemId> {
    return new Set([...this.#peers.values()].flatMap(({ missing }) => [...missing.keys()]))
  }

  handle(input: ComparisonInput, now: number): readonly ComparisonOutput[] {
    switch (input.is) {
      case 'listed':
        return this.#listed(input.devices, now)
      case 'connected':
        for (const peer of this.#peers.values()) Object.assign(peer, UNHEARD)
        return []
      case 'changed':
        return this.#changed(now)
      case 'synced':
        return [...this.#changed(now), ...this.#synced(now)]
      case 'heard':
        return this.#heard(input.from, input.message, now)
      case 'due':
        return this.#due(input.digest, now)
      case 'retried':
        for (const peer of this.#peers.values()) peer.isDoubted ||= peer.missing.size > 0
        return [{ do: 'sync' }]
    }
  }

  #listed(devices: readonly DeviceId[], now: number): readonly ComparisonOutput[] {
    const near = new Set([...devices.slice(0, NEIGHBOURS), ...devices.slice(-NEIGHBOURS)])
    for (const device of this.#peers.keys()) if (!near.has(device)) this.#peers.delete(device)
    for (const device of near) if (!this.#peers.has(device)) this.#peers.set(device, newPeer())
    this.#soon(now)
    return []
  }

  #changed(now: number): readonly ComparisonOutput[] {
    for (const peer of this.#peers.values()) {
      if (peer.lacking.size === 0) continue
      peer.lacking = this.#lackingOf(peer.lacking, peer.since)
      peer.missing = this.#lackingOf(peer.missing, peer.since)
    }
    this.#soon(now)
    return []
  }

  #synced(now: number): readonly ComparisonOutput[] {
    return [...this.#peers].flatMap(([to, peer]) => {
      const outputs: ComparisonOutput[] = []
      if (peer.asks !== null) {
        const list = [...this.#items.given()].slice(-MOST_LISTED)
        outputs.push({ do: 'tell', to, message: { items: 'list', round: peer.asks, list } })
      }
      if (peer.isDoubted) outputs.push(this.#ask(to, peer, now))
      Object.assign(peer, { asks: null, isDoubted: false })
      return outputs
    })
  }

  #heard(from: DeviceId, message: ComparisonMessage, now: number): readonly ComparisonOutput[] {
    const peer = this.#peers.get(from)
    if (!peer) return []
    switch (message.items) {
      case 'digest':
        peer.digest = message.digest
        if (!message.hasYours) peer.told = null
        this.#by(now + QUIET_MS)
        return []
      case 'ask':
        peer.asks = message.round
        return [{ do: 'sync' }]
      case 'list':
        return message.round === peer.open ? this.#answered(peer, message.list, now) : []
    }
  }

  #answered(
    peer: Peer,
    list: Extract<ComparisonMessage, { items: 'list' }>['list'],
    now: number,
  ): readonly ComparisonOutput[] {
    peer.open = null
    const before = peer.lacking
    peer.lacking = this.#lackingOf(new Map(list as [ItemId, string][]), peer.since)
    peer.missing = new Map([...peer.lacking].filter(([id, version]) => before.get(id) === version))
    if (peer.missing.size > 0) this.#by(now + AGAIN_MS)
    peer.isDoubted = peer.missing.size < peer.lacking.size
    return peer.isDoubted ? [{ do: 'sync' }] : []
  }

  /** Nothing has changed for a while. */
  #due(digest: string, now: number): readonly ComparisonOutput[] {
    this.#digest = digest
    this.#dueAt = null
    this.#latestAt = Number.POSITIVE_INFINITY
    return [...this.#peers].flatMap(([to, peer]) => {
      if (peer.told === digest) return this.#compare(to, peer, digest, now)
      peer.told = digest
      // Where both have changed, the other one is about to tell its digest too.
      this.#by(now + QUIET_MS)
      return { do: 'tell', to, message: { items: 'digest', digest, hasYours: peer.digest !== null } }
    })
  }

  #compare(to: DeviceId, peer: Peer, mine: string, now: number): readonly ComparisonOutput[] {
    if (peer.digest === mine) Object.assign(peer, { lacking: NONE, missing: NONE, open: null })
    if (peer.digest === null || peer.digest === mine) return []
    const { asked } = peer
    const isKnown = asked !== null && asked.about === aboutOf(mine, peer.digest)
    // It had nothing more than this device.
    if (isKnown && peer.open === null && peer.lacking.size === 0) return []
    if (!isKnown || now >= asked.at + AGAIN_MS) return [this.#ask(to, peer, now)]
    this.#by(asked.at + AGAIN_MS)
    return []
  }

  #ask(to: DeviceId, peer: Peer, now: number): ComparisonOutput {
    this.#round += 1
    peer.open = this.#round
    peer.since = this.#items.replaced()
    peer.asked = { about: aboutOf(this.#digest, peer.digest), at: now }
    this.#by(now + AGAIN_MS)
    return { do: 'tell', to, message: { items: 'ask', round: this.#round } }
  }

  #lackingOf(others: Given, since: number): Given {
    const given = this.#items.given()
    const isLacking = (id: ItemId, version: string) =>
      given.get(id) !== version && !this.#items.isPast(id, version, since)
    return new Map([...others].filter(([id, version]) => isLacking(id, version)))
  }

  #soon(now: number): void {
    if (this.#peers.size === 0) return
    if (this.#latestAt === Number.POSITIVE_INFINITY) this.#latestAt = now + LATEST_MS
    this.#dueAt = Math.min(now + QUIET_MS, this.#latestAt)
  }

  #by(at: number): void {
    this.#dueAt = Math.min(at, this.#dueAt ?? at)
  }
}

const NONE: Given = new Map()
/** Of a device of which nothing has been heard over this socket. */
const UNHEARD = { digest: null, told: null, open: null, asks: null } as const

function newPeer(): Peer {
  return { ...UNHEARD, asked: null, since: 0, lacking: NONE, missing: NONE, isDoubted: false }
}

function aboutOf(mine: string | null, theirs: string | null): string {
  return `${mine} ${theirs}`
}

/** Returns null for what is about something else. */
export function readComparison(message: unknown): ComparisonMessage | null {
  const parsed = v.safeParse(schema, message)
  return parsed.success ? parsed.output : null
}

/** Returns a text that is equal on devices that were given the same. */
export function textOfGiven(given: Given): string {
  return JSON.stringify([...given].sort(([one], [other]) => (one < other ? -1 : 1)))
}
