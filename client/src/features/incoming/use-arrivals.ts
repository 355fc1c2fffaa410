/** Shows the sheet for a batch that comes from another device, unless the person is busy. */
import { useEffect } from 'react'
import { cardsOf } from '../../stores/cards'
import { type IncomingEvent, reduceIncoming } from '../../stores/incoming'
import type { Stores } from '../../stores/stores'
import { useApp } from '../actions'
import { arrivedBatches, firstThatAsks } from './arrivals'

/** Wider screens show what comes on the canvas, or have room beside it. */
const NARROW = '(width <= 1024px)'

export function useArrivals(): void {
  const { stores } = useApp()
  useEffect(() => {
    const put = (event: IncomingEvent) =>
      stores.incoming.setState((state) => reduceIncoming(state, event), true)
    const look = () => showFresh(stores, put)
    const ends = [
      stores.items.subscribe((now, before) => {
        const ids = arrivedBatches(before, now, stores.devices.getState().me)
        if (ids.length > 0) put({ type: 'arrived', ids })
        look()
      }),
      stores.transfers.subscribe(look),
    ]
    return () => {
      for (const end of ends) end()
    }
  }, [stores])
}

function showFresh({ incoming, items, transfers }: Stores, put: (event: IncomingEvent) => void): void {
  putAwayGone({ incoming, items }, put)
  const { fresh, shown } = incoming.getState()
  if (fresh.size === 0) return
  const batch = firstThatAsks(fresh, items.getState().items, transfers.getState())
  if (!batch) return
  const isFree = shown === null && matchMedia(NARROW).matches && !isBusy()
  put({ type: isFree ? 'shown' : 'passed', id: batch.id })
}

/** A batch that was deleted, or whose beam was left, keeps no other sheet away. */
function putAwayGone(
  { incoming, items }: Pick<Stores, 'incoming' | 'items'>,
  put: (event: IncomingEvent) => void,
): void {
  const { shown } = incoming.getState()
  if (shown !== null && !cardsOf(items.getState().items).some(({ id }) => id === shown)) {
    put({ type: 'putAway' })
  }
}

/** Whether the person writes, or has something else open. */
function isBusy(): boolean {
  const { activeElement } = document
  const isField =
    activeElement?.matches('input:not([type=file]), textarea, select, [contenteditable]') ?? false
  return isField || document.querySelector('dialog[open], [role=menu]') !== null
}
