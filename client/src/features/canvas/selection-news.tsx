/** Announces the number of selected notes to screen readers. */
import { useStore } from 'zustand'
import { cardsOf } from '../../stores/cards'
import { useApp } from '../actions'

export function SelectionNews() {
  const { stores } = useApp()
  const selected = useStore(stores.canvas, (state) => state.selected)
  const count = useStore(
    stores.items,
    ({ items }) => cardsOf(items).filter(({ id }) => selected.has(id)).length,
  )
  return (
    <p className="visually-hidden" aria-live="polite">
      {count > 0 && (count === 1 ? '1 note selected' : `${count} notes selected`)}
    </p>
  )
}
