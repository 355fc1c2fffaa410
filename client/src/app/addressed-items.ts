/**
 * Shares the items for one device again that the server has forgotten (S33): it holds them in memory only, and no other
 * device may bring them back (S28). Each is shared once its addressee is here.
 */
import type { DeviceId, ItemId } from '../protocol/bindings'
import type { Item } from '../protocol/item'
import type { Stores } from '../stores/stores'
import type { BeamChannel } from './beam-channel'

type Channel = Pick<BeamChannel, 'share' | 'isSealed'>

export class AddressedItems {
  readonly #stores: Pick<Stores, 'items' | 'devices'>
  readonly #channel: Channel
  readonly #forgotten = new Set<ItemId>()

  constructor(stores: Pick<Stores, 'items' | 'devices'>, channel: Channel) {
    this.#stores = stores
    this.#channel = channel
  }

  /** The server has sent what it has. Call it before the items of the page follow. */
  synced(epoch: string, there: readonly { id: ItemId }[]): void {
    const { items, epoch: before } = this.#stores.items.getState()
    if (before === null || before === epoch) return
    const { me } = this.#stores.devices.getState()
    const known = new Set(there.map(({ id }) => id))
    for (const { id, from, to, seq } of items) {
      if (to !== undefined && from === me && seq !== null && !known.has(id)) this.#forgotten.add(id)
    }
    this.listed()
  }

  /** The list of devices has changed. */
  listed(): void {
    if (this.#forgotten.size === 0) return
    const here = new Set(this.#stores.devices.getState().devices.map(({ device_id }) => device_id))
    const items = new Map(this.#stores.items.getState().items.map((item) => [item.id, item]))
    for (const id of this.#forgotten) {
      const item = items.get(id)
      if (item?.to !== undefined && !here.has(item.to)) continue
      this.#forgotten.delete(id)
      if (item?.to !== undefined)
        this.#channel.share(id, item.message, item.extra, item.to, this.#inClearTo(item, item.to))
    }
  }

  /**
   * It goes as it went: in clear text only where a person had chosen that when it was shared (E12). Of what the server had, how it went
   * tells that; a change that it did not have yet says so itself.
   */
  #inClearTo({ id, isChanged, inClearTo = [] }: Item, to: DeviceId): readonly DeviceId[] {
    if (isChanged) return inClearTo
    return this.#channel.isSealed(id) ? [] : [to]
  }
}
