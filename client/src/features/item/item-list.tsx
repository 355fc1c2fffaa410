import { useMemo } from 'react'
import { useStore } from 'zustand'
import { useHouse } from '../actions'
import css from './item-list.module.css'
import { ListCard } from './list-card'

/** All items, the newest first. */
export function ItemList() {
  const items = useStore(useHouse().stores.items, (state) => state.items)
  const newestFirst = useMemo(() => items.toReversed(), [items])
  return (
    <ul className={css.list} aria-label="Shared items">
      {newestFirst.map((item) => (
        <li key={item.id}>
          <ListCard item={item} />
        </li>
      ))}
    </ul>
  )
}
