/** Keeps what is found up to date: with what is typed, with the items, and with the names of devices. */
import { t } from '@lingui/core/macro'
import { matching } from '../features/search/matching'
import type { ItemId } from '../protocol/bindings'
import type { Item } from '../protocol/item'
import { type Card, cardsOf, isBatch } from '../stores/cards'
import { deviceName } from '../stores/devices'
import { NO_SEARCH } from '../stores/search'
import type { Stores } from '../stores/stores'

export function keepSearch({ search, items, devices, packs, pointedOut }: Stores): void {
  const authorOf = (item: Item) => {
    const { me } = devices.getState()
    return item.from === null || item.from === me ? t`this device` : deviceName(devices.getState(), item.from)
  }
  const look = () => {
    const state = search.getState()
    const filesOf = (id: ItemId) => packs.getState().lists[id]
    const all = items.getState().items
    const found = cardsOfItems(all, matching(all, state, authorOf, filesOf))
    if (!isSame(found, state.found)) search.setState({ found })
  }
  search.subscribe((now, before) => {
    if (now.text !== before.text || now.kind !== before.kind) look()
  })
  items.subscribe((now, before) => {
    if (now.items === before.items) return
    // In another beam nothing is looked for.
    if (now.items.length === 0) search.setState(NO_SEARCH, true)
    else look()
  })
  packs.subscribe(look)
  devices.subscribe((now, before) => {
    if (now.names !== before.names) look()
  })
  pointedOut.subscribe(({ id }) => {
    const { found } = search.getState()
    if (id && found && !found.has(id)) search.setState(NO_SEARCH, true)
  })
}

/** Returns the cards of which an item was found. */
function cardsOfItems(items: readonly Item[], found: ReadonlySet<ItemId> | null): ReadonlySet<ItemId> | null {
  if (found === null) return null
  const isFound = (card: Card) =>
    isBatch(card) ? card.content.files.some(({ id }) => found.has(id)) : found.has(card.id)
  return new Set(
    cardsOf(items)
      .filter(isFound)
      .map(({ id }) => id),
  )
}

function isSame(a: ReadonlySet<string> | null, b: ReadonlySet<string> | null): boolean {
  return a === b || (a !== null && b !== null && a.size === b.size && [...a].every((id) => b.has(id)))
}
