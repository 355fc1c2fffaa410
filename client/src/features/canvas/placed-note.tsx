/** A note at its place. Only a change of this note renders it again; a drag does not. */
import { type CSSProperties, memo, useLayoutEffect, useRef } from 'react'
import { useStore } from 'zustand'
import type { Card } from '../../stores/cards'
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
  const arrived = useStore(view, (state) => state.arrived.has(id))
  const me = useStore(stores.devices, (state) => state.me)
  const isPlaced = place !== undefined
  useLayoutEffect(() => {
    const element = ref.current
    return element && isPlaced ? board.attach(id, element, drawn) : undefined
  }, [board, id, isPlaced, drawn])
  if (!place) return null
  const isOwn = card.from === null || card.from === me
  return (
    <li
      ref={ref}
      className={drawn ? css.place : css.undrawn}
      style={{ left: place.x, top: place.y, '--z': place.z } as CSSProperties}
      data-note={id}
      data-selected={selected || undefined}
      data-arrives={arrived ? (isOwn ? 'own' : 'other') : undefined}
    >
      <NoteCard card={card} drawn={drawn} />
    </li>
  )
})
