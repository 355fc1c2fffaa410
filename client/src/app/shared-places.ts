/** Keeps the places of the notes in step with the other devices while the arrangement is shared (S35). */
import { t } from '@lingui/core/macro'
import type { Arrange, Arranged, ItemId, Placed } from '../protocol/bindings'
import type { Item } from '../protocol/item'
import { mayShare } from '../stores/beam-access'
import { type CanvasState, type Point, reduceCanvas } from '../stores/canvas'
import { type Card, cardsOf, isBatch } from '../stores/cards'
import type { Stores } from '../stores/stores'
import { notConnected } from './access-news'
import type { Toaster } from './toaster'

/** Places are sent at most this often, in ms: ten times a second look smooth on the other devices. */
const PAUSE_MS = 100

export class SharedPlaces {
  readonly #stores: Stores
  readonly #toaster: Toaster
  readonly #send: (change: Arrange) => boolean
  readonly #ends: readonly (() => void)[]
  /** Places of cards that the server does not have yet. */
  readonly #unsent = new Map<ItemId, Point>()
  /** How often the place of each item was sent that has not come back yet. Only the last one is news. */
  readonly #coming = new Map<ItemId, number>()
  /** Places of items that are not here yet: a device that joins is told the places first. */
  readonly #early = new Map<ItemId, Point>()
  #pause: ReturnType<typeof setTimeout> | null = null

  /** @param send returns false when there is no connection */
  constructor(stores: Stores, toaster: Toaster, send: (change: Arrange) => boolean) {
    this.#stores = stores
    this.#toaster = toaster
    this.#send = send
    this.#ends = [
      stores.canvas.subscribe((now, before) => this.#changed(now, before)),
      stores.items.subscribe(({ items }, before) => {
        if (!stores.canvas.getState().shared || items === before.items) return
        this.#placeEarly(items)
        this.#followWireIds(items, before.items)
        if (this.#unsent.size > 0) this.#flush()
      }),
    ]
  }

  end(): void {
    for (const end of this.#ends) end()
    if (this.#pause !== null) clearTimeout(this.#pause)
  }

  /** Turns the shared arrangement on, with the places that the notes have here, or off. */
  share(shared: boolean): void {
    const { places } = this.#stores.canvas.getState()
    if (!this.#send({ shared, places: [] })) return void this.#toaster.bad(notConnected())
    if (!shared) return
    this.#toSend(places)
    this.#flush()
  }

  /** A new socket: the server tells the arrangement next, if it is still shared. */
  welcomed(): void {
    this.#coming.clear()
    this.#early.clear()
    this.#put(false, [])
  }

  hear({ shared, places, from }: Arranged): void {
    const wasShared = this.#stores.canvas.getState().shared
    const isOwn = from !== null && from === this.#stores.devices.getState().me
    // Only the places with which another device begins count now, and none that was left over here.
    if (!shared || (!wasShared && from !== null && !isOwn)) this.#forget()
    const isNews = ({ id }: Placed) => (isOwn ? this.#cameBack(id) : true)
    this.#put(shared, this.#placesOfCards(places.filter(isNews), this.#stores.items.getState().items))
    if (from === null) this.#flush()
    if (from === null || shared === wasShared) return
    this.#toaster.ok(
      shared
        ? t`Notes lie in the same places for everybody now`
        : t`Each device arranges its own notes again`,
    )
  }

  /** Returns whether this was the last place sent for the item. */
  #cameBack(id: ItemId): boolean {
    const left = (this.#coming.get(id) ?? 1) - 1
    if (left > 0) this.#coming.set(id, left)
    else this.#coming.delete(id)
    return left === 0
  }

  #forget(): void {
    this.#unsent.clear()
    this.#coming.clear()
    this.#early.clear()
  }

  /** Returns where the cards lie, and remembers the places of items that are not here. A place that waits here is newer. */
  #placesOfCards(places: readonly Placed[], items: readonly Item[]): readonly (readonly [ItemId, Point])[] {
    const cards = new Map(cardsOf(items).map((card) => [wireId(card), card.id]))
    const here = new Set(items.map(({ id }) => id))
    return places.flatMap(({ id, x, y }) => {
      if (here.has(id)) this.#early.delete(id)
      else this.#early.set(id, { x, y })
      const card = cards.get(id)
      return card === undefined || this.#unsent.has(card) ? [] : [[card, { x, y }] as const]
    })
  }

  #placeEarly(items: readonly Item[]): void {
    if (this.#early.size === 0) return
    const early = [...this.#early].map(([id, at]) => ({ id, ...at }))
    const placed = this.#placesOfCards(early, items)
    if (placed.length > 0) this.#put(true, placed)
  }

  /** A batch whose first file is another one now is told where it lies by that one. */
  #followWireIds(now: readonly Item[], before: readonly Item[]): void {
    if (!mayShare(this.#stores.access.getState())) return
    const { places } = this.#stores.canvas.getState()
    const old = new Map(cardsOf(before).map((card) => [card.id, wireId(card)]))
    for (const card of cardsOf(now)) {
      const [was, at] = [old.get(card.id), places.get(card.id)]
      if (was && at && was !== wireId(card)) this.#unsent.set(card.id, { x: at.x, y: at.y })
    }
  }

  #put(shared: boolean, places: readonly (readonly [ItemId, Point])[]): void {
    const { canvas } = this.#stores
    if (!shared && !canvas.getState().shared) return
    canvas.setState((state) => reduceCanvas(state, { type: 'arranged', shared, places }), true)
  }

  #changed(now: CanvasState, before: CanvasState): void {
    const isOwnMove = now.shared && before.shared && now.arranged === before.arranged
    if (!isOwnMove || !mayShare(this.#stores.access.getState())) return
    if (now.held !== before.held) this.#toSend(now.held)
    if (now.places !== before.places) this.#takeMoves(now.places, before.places)
    if (this.#unsent.size > 0) this.#flush()
  }

  #takeMoves(now: CanvasState['places'], before: CanvasState['places']): void {
    const { me } = this.#stores.devices.getState()
    const items = new Map(cardsOf(this.#stores.items.getState().items).map((card) => [card.id, card]))
    const moved = [...now].filter(([id, { x, y }]) => {
      const old = before.get(id)
      const from = items.get(id)?.from
      // A new item gets its place from the device that shared it.
      return old ? old.x !== x || old.y !== y : from === null || from === me
    })
    this.#toSend(moved)
  }

  /** Where an item for one device lies is nobody else's matter (S33). */
  #toSend(places: Iterable<readonly [ItemId, Point]>): void {
    const { items } = this.#stores.items.getState()
    const forOne = new Set(items.flatMap(({ id, to }) => (to === undefined ? [] : [id])))
    for (const [id, { x, y }] of places) if (!forOne.has(id)) this.#unsent.set(id, { x, y })
  }

  /** Sends what the server can take: places of items that it has. */
  #flush(): void {
    if (this.#pause !== null) return
    const known = new Map(
      cardsOf(this.#stores.items.getState().items).flatMap((card) => {
        const id = wireId(card)
        return id === null ? [] : [[card.id, id] as const]
      }),
    )
    const { places: most } = this.#stores.limits.getState()
    const ready = [...this.#unsent].filter(([id]) => known.has(id)).slice(0, most)
    if (ready.length === 0) return
    const places = ready.map(([id, { x, y }]) => ({
      id: known.get(id) ?? id,
      x: Math.round(x),
      y: Math.round(y),
    }))
    if (!this.#send({ shared: null, places })) return
    for (const [id] of ready) this.#unsent.delete(id)
    for (const { id } of places) this.#coming.set(id, (this.#coming.get(id) ?? 0) + 1)
    this.#pause = setTimeout(() => {
      this.#pause = null
      this.#flush()
    }, PAUSE_MS)
  }
}

/**
 * Returns the item by which the wire knows the place of a card; null for one that the server does not have, or that is
 * for one device (S33). The server knows no batches (F14), so each is known by its first file there.
 */
function wireId(card: Card): ItemId | null {
  const items = isBatch(card) ? card.content.files : [card]
  return items.find(({ seq, to }) => seq !== null && to === undefined)?.id ?? null
}
