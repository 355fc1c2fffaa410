/** Tells whoever does not see the frames how many notes are selected. */
import { useStore } from 'zustand'
import { useApp } from '../actions'

export function SelectionNews() {
  const { stores } = useApp()
  const selected = useStore(stores.canvas, (state) => state.selected)
  const count = useStore(stores.items, ({ items }) => items.filter(({ id }) => selected.has(id)).length)
  return (
    <p className="visually-hidden" aria-live="polite">
      {count > 0 && (count === 1 ? '1 note selected' : `${count} notes selected`)}
    </p>
  )
}
