import { Suspense } from 'react'
import { useStore } from 'zustand'
import { lazyPart } from '../../ui/lazy-part'
import { useApp } from '../actions'

const FullView = lazyPart(
  () => import('./full-view'),
  (m) => m.FullView,
)

/** The full view, while it is open. Its code is loaded on the first use. */
export function FullViewHost() {
  const state = useStore(useApp().stores.fullView)
  if (state.kind === 'closed') return null
  return (
    <Suspense fallback={null}>
      <FullView id={state.id} order={state.order} />
    </Suspense>
  )
}
