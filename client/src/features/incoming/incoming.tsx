import { Suspense } from 'react'
import { useStore } from 'zustand'
import { cardsOf, isBatch } from '../../stores/cards'
import { reduceIncoming } from '../../stores/incoming'
import { lazyPart } from '../../ui/lazy-part'
import { useApp } from '../actions'
import { useArrivals } from './use-arrivals'

const IncomingSheet = lazyPart(
  () => import('./incoming-sheet'),
  (m) => m.IncomingSheet,
)

/**
 * The batch that comes, as a sheet on narrow screens. Put away it goes on, as a card in the list; a tap on that card
 * shows the sheet again. The code of the sheet is loaded on the first use.
 */
export function Incoming() {
  const { incoming, items } = useApp().stores
  useArrivals()
  const shown = useStore(incoming, (state) => state.shown)
  const card = useStore(items, (state) => shown && cardsOf(state.items).find(({ id }) => id === shown))
  if (!card || !isBatch(card)) return null
  const putAway = () => incoming.setState((state) => reduceIncoming(state, { type: 'putAway' }), true)
  return (
    <Suspense fallback={null}>
      <IncomingSheet key={card.id} batch={card} onClose={putAway} />
    </Suspense>
  )
}
