import { plural } from '@lingui/core/macro'
import Download from 'lucide-react/icons/download'
import { useStore } from 'zustand'
import { useShallow } from 'zustand/react/shallow'
import type { ItemId } from '../../protocol/bindings'
import type { Item } from '../../protocol/item'
import { cardsOf, isBatch } from '../../stores/cards'
import { whyGone } from '../../stores/connection'
import { offeredHere } from '../../stores/transfers'
import { Button } from '../../ui/button'
import { cx } from '../../ui/cx'
import { useApp } from '../actions'
import css from './receive-all.module.css'

/** Receives every file that is offered to this device. A single file, or a single batch, has its own button. */
export function ReceiveAll({ on }: { on: 'canvas' | 'list' }) {
  const { stores, actions } = useApp()
  const items = useStore(stores.items, (state) => state.items)
  const offered = useStore(
    stores.transfers,
    useShallow((state) => offeredHere(state, items)),
  )
  const cards = countCards(items, offered)
  const count = offered.length
  const isGone = useStore(stores.connection, whyGone) !== null
  if (cards < 2 || isGone) return null
  return (
    <Button
      look={on === 'canvas' ? 'plain' : 'soft'}
      icon={Download}
      className={cx(css.all, css[on])}
      onClick={() => actions.receiveAll()}
    >
      {plural(count, { one: 'Receive # file', other: 'Receive all # files' })}
    </Button>
  )
}

/** Returns how many cards have one of these files. */
function countCards(items: readonly Item[], files: readonly ItemId[]): number {
  if (files.length < 2) return files.length
  const wanted = new Set(files)
  return cardsOf(items).filter((card) =>
    isBatch(card) ? card.content.files.some(({ id }) => wanted.has(id)) : wanted.has(card.id),
  ).length
}
