/** A note at its place. Only a change of this note renders it again; a drag does not. */
import { type CSSProperties, memo, useLayoutEffect, useRef } from 'react'
import { useStore } from 'zustand'
import type { DeviceId } from '../../protocol/bindings'
import type { Card } from '../../stores/cards'
import { isSetAside } from '../../stores/search'
import { useApp } from '../actions'
import { NoteCard } from '../card/note-card'
import css from './canvas.module.css'
import { useCanvas } from './canvas-context'

export const PlacedNote = memo(function PlacedNote({ card }: { card: Card }) {
  const { id } = card
  const { stores } = useApp()
  const { board, view } = useCanvas()
  const ref = useRef<HTMLLIElement>(null)
  const place = useStore(stores.canvas, (state) => state.places.get(id))
  const selected = useStore(stores.canvas, (state) => state.selected.has(id))
  const drawn = useStore(view, (state) => state.drawn.has(id))
  const measured = useStore(view, (state) => state.measured.has(id))
  const arrived = useStore(view, (state) => state.arrived.has(id))
  const dimmed = useStore(stores.search, (state) => isSetAside(state, id))
  const me = useStore(stores.devices, (state) => state.me)
  const isShown = place !== undefined || measured
  useLayoutEffect(() => {
    const element = ref.current
    return element && isShown ? board.attach(id, element, drawn || measured) : undefined
  }, [board, id, isShown, drawn, measured])
  if (!isShown) return null
  return (
    <li
      ref={ref}
      className={place ? (drawn ? css.place : css.undrawn) : css.measured}
      style={place && ({ left: place.x, top: place.y, '--z': place.z } as CSSProperties)}
      data-note={id}
      data-selected={selected || undefined}
      data-dimmed={dimmed || undefined}
      data-arrives={arrived ? arrivalOf(card, me) : undefined}
    >
      <NoteCard card={card} drawn={drawn || measured} />
    </li>
  )
})

/** Own notes and those of others appear with different animations. */
function arrivalOf({ from }: Card, me: DeviceId | null): 'own' | 'other' {
  return from === null || from === me ? 'own' : 'other'
}
