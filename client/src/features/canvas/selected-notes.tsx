/** What belongs to the selection: its bar, and the announcement of its size to screen readers. */
import { plural } from '@lingui/core/macro'
import { Suspense } from 'react'
import { useStore } from 'zustand'
import { useShallow } from 'zustand/react/shallow'
import { cardsOf } from '../../stores/cards'
import { lazyPart } from '../../ui/lazy-part'
import { useApp } from '../actions'

const SelectionBar = lazyPart(
  () => import('./selection-bar'),
  (m) => m.SelectionBar,
)

export function SelectedNotes() {
  const { stores } = useApp()
  const selected = useStore(stores.canvas, (state) => state.selected)
  const ids = useStore(
    stores.items,
    useShallow(({ items }) =>
      cardsOf(items)
        .filter(({ id }) => selected.has(id))
        .map(({ id }) => id),
    ),
  )
  const count = ids.length
  return (
    <>
      <p className="visually-hidden" aria-live="polite">
        {count > 0 && plural(count, { one: '# note selected', other: '# notes selected' })}
      </p>
      {count > 0 && (
        <Suspense>
          <SelectionBar ids={ids} />
        </Suspense>
      )}
    </>
  )
}
