/**
 * Sends what this device shares to plain devices too, in clear text, where a person has chosen so (E12). The choice holds for one beam
 * and one device, and is kept in this browser.
 */
import type { Actions } from '../features/actions'
import type { BeamId, DeviceId, ItemId, LiveItem } from '../protocol/bindings'
import { clearMessage, copyId, copyMessage, originalOf } from '../protocol/clear-copy'
import type { Item } from '../protocol/item'
import { type ClearCopiesState, takersOfCopies } from '../stores/clear-copies'
import type { Stores } from '../stores/stores'
import type { LiveBeam } from '../transport/live-beam'
import type { Transfers } from '../transport/transfers'
import {
  enterClearCopies,
  haveChoicesGone,
  onChosenElsewhere,
  readChosen,
  readMade,
  storeChoice,
  storeMade,
} from './clear-copies-storage'

type Watched = Pick<Stores, 'clearCopies' | 'devices' | 'transfers'>

type Choices = Pick<Stores, 'clearCopies' | 'items' | 'devices'>
type Choosing = Choices & Pick<Stores, 'session'>
type Offering = Pick<Transfers, 'offered' | 'tell'>

/** Takes up what was chosen in a beam. */
export function loadClearCopies({ clearCopies }: Pick<Stores, 'clearCopies'>, beam: BeamId): void {
  clearCopies.setState({ to: new Set(enterClearCopies(beam)) }, true)
}

/** Takes up what is chosen under the new id of the beam that the page is in: it may have been taken back there before this page followed. */
export function followClearCopies(stores: Choices, beam: BeamId, transfers: Offering): void {
  choose(stores, { to: new Set(enterClearCopies(beam)) }, transfers)
}

export function createClearCopiesChoice(stores: Choosing, transfers: Offering): Pick<Actions, 'sendInClear'> {
  return {
    sendInClear(device, isWanted) {
      const beam = beamIn(stores)
      if (beam === null) return
      const to = new Set(stores.clearCopies.getState().to)
      if (isWanted) to.add(device)
      else to.delete(device)
      storeChoice(beam, device, isWanted)
      choose(stores, { ...stores.clearCopies.getState(), to }, transfers)
    },
  }
}

/** What is chosen in another tab counts here too: a device that is sent nothing more there is sent nothing more from here. */
export function keepClearCopies(stores: Choosing, transfers: Offering): void {
  onChosenElsewhere(
    () => beamIn(stores),
    (beam) => {
      const to = new Set(readChosen(beam))
      const isLeft = haveChoicesGone(beam)
      choose(stores, { to, ...(isLeft && { before: offeredIn(stores) }) }, transfers)
    },
  )
}

function beamIn({ session }: Pick<Stores, 'session'>): BeamId | null {
  const state = session.getState()
  return state.status === 'set' ? state.session.beamId : null
}

/** Those to which what they were sent in clear text is offered. */
function offeredIn({ clearCopies }: Pick<Stores, 'clearCopies'>): ReadonlySet<DeviceId> {
  const { to, before = [] } = clearCopies.getState()
  return new Set([...to, ...before])
}

function choose(stores: Choices, next: ClearCopiesState, transfers: Offering): void {
  const before = offeredIn(stores)
  stores.clearCopies.setState(next, true)
  const after = offeredIn(stores)
  const { items } = stores.items.getState()
  const { me } = stores.devices.getState()
  for (const device of before) if (!after.has(device)) stopOffering(device, items, me, transfers)
}

/** Lets a device receive no more bytes of what was sent to it in clear text: the copies, and the items that are for it alone. */
function stopOffering(
  device: DeviceId,
  items: readonly Pick<Item, 'id' | 'to'>[],
  me: DeviceId | null,
  transfers: Offering,
): void {
  if (me === null) return
  for (const { id, to } of items) {
    const sent = to === device ? id : copyId(id, me, device)
    if (transfers.offered(sent) === null) continue
    // The page shows that it has ended.
    transfers.tell({ do: 'cancel', id: sent, device })
    transfers.tell({ do: 'forget', id: sent })
  }
}

export class ClearCopies {
  readonly #stores: Watched
  readonly #transfers: Pick<Transfers, 'fileOf' | 'tell'>
  readonly #live: () => Pick<LiveBeam, 'share' | 'delete'>
  readonly #beam: () => BeamId
  /** The copies of each item, with their messages. */
  readonly #made = new Map<ItemId, Map<ItemId, unknown>>()

  /** @param beam returns the id that the beam has now */
  constructor(
    stores: Watched,
    transfers: Pick<Transfers, 'fileOf' | 'tell'>,
    live: () => Pick<LiveBeam, 'share' | 'delete'>,
    beam: () => BeamId,
  ) {
    this.#beam = beam
    this.#stores = stores
    this.#transfers = transfers
    this.#live = live
  }

  /** Whether it is known which devices are here: not after a load, nor under another id of the beam, until the server has said so. */
  get isListed(): boolean {
    return this.#stores.devices.getState().devices.length > 0
  }

  /** Resolves once that is known. */
  untilListed(): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.#stores.devices.subscribe(() => {
        if (!this.isListed) return
        stop()
        resolve()
      })
    })
  }

  /** Whether what was shared is sent to a device in clear text: it was chosen then, still is, and is here. */
  isTaker(device: DeviceId, chosen: readonly DeviceId[]): boolean {
    return chosen.includes(device) && this.#takers.includes(device)
  }

  get #takers(): readonly DeviceId[] {
    const { clearCopies, devices } = this.#stores
    return takersOfCopies(clearCopies.getState(), devices.getState()).map(({ device_id }) => device_id)
  }

  /** Sends a copy of an item to those of the devices chosen when it was shared that get copies now. */
  share(id: ItemId, message: unknown, extra: string, chosen: readonly DeviceId[]): void {
    const { me } = this.#stores.devices.getState()
    if (me === null) return
    for (const device of this.#takers.filter((taker) => chosen.includes(taker))) {
      const copy = copyId(id, me, device)
      const clear = copyMessage(message, me, device)
      this.#note(id, copy, clear)
      this.#send(copy, id, clear, extra, device)
    }
  }

  /** Sends one of these devices an item that is for it alone. */
  send(id: ItemId, message: unknown, extra: string, to: DeviceId): void {
    this.#send(id, id, clearMessage(message), extra, to)
  }

  /**
   * Returns the message of an item of a beam that is clear. A file of this device that has a seal, because that was not known
   * when it was chosen, is offered without it, at once or when it is here again.
   */
  unsealed(id: ItemId, message: unknown): unknown {
    const clear = clearMessage(message)
    // Any other message is returned as it came.
    if (clear === message) return message
    const file = this.#transfers.fileOf(id)
    if (file === null) return this.#isLost(id) ? clear : message
    this.#transfers.tell({ do: 'offer', id, file })
    return clear
  }

  /** Deletes the copies of an item. */
  delete(id: ItemId): void {
    for (const [copy, message] of this.#made.get(id) ?? []) {
      this.#live().delete(copy, message)
      this.#transfers.tell({ do: 'forget', id: copy })
    }
    this.#made.delete(id)
  }

  /**
   * Everything that the server has. What was deleted while this device was away takes its copies with it.
   * @param isDeleted whether an item is known to be deleted, or `isLacking`: it is neither there nor known here
   */
  synced(
    items: readonly LiveItem[],
    isDeleted: (id: ItemId) => boolean,
    isLacking: (id: ItemId) => boolean,
  ): void {
    const ids = this.#ids
    for (const item of items) {
      const original = ids.has(item.id) ? originalOf(item) : null
      if (original === null) continue
      this.#note(original, item.id, item.message)
      if (isLacking(original)) this.delete(original)
    }
    for (const original of [...this.#made.keys()]) if (isDeleted(original)) this.delete(original)
    this.#forgetAllBut(new Set(items.map(({ id }) => id)))
  }

  /** What is deleted here is forgotten once the server does not have it any more: it may come again until then. */
  #forgetAllBut(there: ReadonlySet<ItemId>): void {
    const made = new Set([...this.#made.values()].flatMap((copies) => [...copies.keys()]))
    this.#write([...this.#ids].filter((id) => there.has(id) || made.has(id)))
  }

  /** All copies: a page that was reloaded could not tell one from what is for a device alone, once the item is gone. */
  get #ids(): ReadonlySet<ItemId> {
    const { me } = this.#stores.devices.getState()
    return new Set(me === null ? [] : readMade(this.#beam(), me))
  }

  #write(ids: readonly ItemId[]): void {
    const { me } = this.#stores.devices.getState()
    if (me !== null) storeMade(this.#beam(), me, ids)
  }

  /**
   * Whether an item in clear text is a copy that this device has made, perhaps before a reload.
   * @param isSealed whether there is a sealed item of this id
   */
  isCopy(item: LiveItem, isSealed: (id: ItemId) => boolean): boolean {
    const original = originalOf(item)
    const isMine = item.from === this.#stores.devices.getState().me
    if (original === null || !isMine || !(isSealed(original) || this.#ids.has(item.id))) return false
    this.#note(original, item.id, item.message)
    this.offerAgain(original)
    return true
  }

  /** A reload has taken the file of an item, and it is here again: the copies that a person still wants are offered too. */
  offerAgain(id: ItemId): void {
    const { me } = this.#stores.devices.getState()
    const file = this.#transfers.fileOf(id)
    if (me === null || file === null) return
    for (const device of this.#stores.clearCopies.getState().to) {
      const copy = copyId(id, me, device)
      const isMade = this.#made.get(id)?.has(copy) ?? false
      if (isMade && this.#transfers.fileOf(copy) === null)
        this.#transfers.tell({ do: 'offer', id: copy, file })
    }
  }

  /** Whether a reload has taken the file of an item from here. */
  #isLost(id: ItemId): boolean {
    return this.#stores.transfers.getState().transfers[id]?.role === 'lost'
  }

  /** Sends an item whose file, if it is one, is offered without its seal. */
  #send(id: ItemId, original: ItemId, message: unknown, extra: string, to: DeviceId): void {
    const file = this.#transfers.fileOf(original)
    if (file) this.#transfers.tell({ do: 'offer', id, file })
    this.#live().share(id, message, extra, to)
  }

  #note(original: ItemId, copy: ItemId, message: unknown): void {
    const copies = this.#made.get(original) ?? new Map<ItemId, unknown>()
    this.#made.set(original, copies.set(copy, message))
    const ids = this.#ids
    if (!ids.has(copy)) this.#write([...ids, copy])
  }
}
