/**
 * Tab walks the notes in reading order instead of the order of arrival. Two edges, before the first and behind the last
 * note, mark where the walk begins and ends: from there the browser moves the focus.
 */
import { type FocusEvent, type KeyboardEvent, type RefObject, useMemo } from 'react'
import type { ItemId } from '../../protocol/bindings'
import type { Stores } from '../../stores/stores'
import { useApp } from '../actions'
import { type CanvasValue, drawWhole } from './canvas-context'
import { showNote, walkOf } from './use-keys'

const STOPS = 'a[href], button, input, textarea, select, video[controls], [tabindex="0"]'

interface Edges {
  readonly start: RefObject<HTMLElement | null>
  readonly end: RefObject<HTMLElement | null>
}

export function useWalk(context: CanvasValue, { start, end }: Edges) {
  const { stores } = useApp()
  return useMemo(() => createWalk(context, stores, { start, end }), [context, stores, start, end])
}

function createWalk({ board, view }: CanvasValue, stores: Stores, { start, end }: Edges) {
  let isLeaving = false
  const goTo = (id: ItemId | undefined): boolean => {
    const note = id && board.element(id)?.querySelector<HTMLElement>('article')
    note?.focus({ preventScroll: true })
    return Boolean(note)
  }
  /** Moves the focus by one stop, from the last note to the edge. */
  const walk = (from: HTMLElement, step: 1 | -1): 'walked' | 'left' | 'elsewhere' => {
    const note = noteOf(from)
    if (!note) return 'elsewhere'
    const stops = stopsIn(note.element)
    const inside = stops[stops.indexOf(from) + step]
    inside?.focus()
    const ids = walkOf(stores)
    if (inside || goTo(ids[ids.indexOf(note.id) + step])) return 'walked'
    isLeaving = true
    ;(step === 1 ? end : start).current?.focus({ preventScroll: true })
    return 'left'
  }
  const show = (element: HTMLElement) => {
    const id = noteOf(element)?.id
    const place = id && stores.canvas.getState().places.get(id)
    // A pressed note is in view; one that got the focus by a key may not be.
    if (!id || !place || !element.matches(':focus-visible')) return
    // A plate cannot show the focus.
    drawWhole(view, [id])
    showNote(board, id, place)
  }
  return {
    onKeyDown(event: KeyboardEvent<HTMLElement>) {
      if (event.key !== 'Tab') return
      const went = walk(event.target as HTMLElement, event.shiftKey ? -1 : 1)
      if (went === 'walked') event.preventDefault()
    },
    onFocus({ target }: FocusEvent<HTMLElement>) {
      const isEdge = target === start.current || target === end.current
      if (isEdge && !isLeaving) goTo(walkOf(stores).at(target === start.current ? 0 : -1))
      else show(target)
      isLeaving = false
    },
  }
}

function noteOf(target: HTMLElement): { element: HTMLElement; id: ItemId } | null {
  const element = target.closest<HTMLElement>('[data-note]')
  return element && { element, id: element.dataset.note as ItemId }
}

/** Returns the note and its controls that can take the focus. */
function stopsIn(note: HTMLElement): HTMLElement[] {
  const all = [...note.querySelectorAll<HTMLElement>(STOPS)]
  return all.filter((stop) => stop.checkVisibility({ visibilityProperty: true }))
}
