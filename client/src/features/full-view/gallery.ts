/** The files that the full view can show, and the way from one to the next. */
import { useMemo } from 'react'
import { useStore } from 'zustand'
import type { ItemId } from '../../protocol/bindings'
import type { Item } from '../../protocol/item'
import { type Card, cardsOf, isBatch } from '../../stores/cards'
import type { ViewOrder } from '../../stores/full-view'
import { useApp } from '../actions'
import { type ShownFile, shownFile } from '../item/shown-as'

export function useGallery(order: ViewOrder): readonly ShownFile[] {
  const { stores } = useApp()
  const items = useStore(stores.items, (state) => state.items)
  const transfers = useStore(stores.transfers, (state) => state.transfers)
  const kinds = useStore(stores.media, (state) => state.kinds)
  return useMemo(() => {
    const ordered = inOrder(cardsOf(items), order)
    return ordered.flatMap((item) => shownFile(item, transfers[item.id], kinds[item.id]) ?? [])
  }, [items, transfers, kinds, order])
}

/** Returns the items of cards in the order of the page. Files of a batch stay in theirs, as its card shows them. */
export function inOrder(cards: readonly Card[], order: ViewOrder): readonly Item[] {
  const ordered = order === 'oldest-first' ? cards : cards.toReversed()
  return ordered.flatMap((card): readonly Item[] => (isBatch(card) ? card.content.files : [card]))
}

export interface Position {
  readonly file: ShownFile
  /** Counted from 1. */
  readonly number: number
  readonly previous: ItemId | null
  readonly next: ItemId | null
}

/** Returns where a file is among the others; null when it is not one of them any more. */
export function positionOf(gallery: readonly ShownFile[], id: ItemId): Position | null {
  const at = gallery.findIndex((file) => file.id === id)
  const file = gallery[at]
  if (!file) return null
  return { file, number: at + 1, previous: gallery[at - 1]?.id ?? null, next: gallery[at + 1]?.id ?? null }
}
