/**
 * The notes are one stop of Tab: it leads to the note that had the focus last, and on from there. Two edges, before the
 * first and behind the last note, catch the focus and hand it on; from there the browser moves it out. The buttons of a
 * note are reached by entering it.
 */
import { type FocusEvent, type KeyboardEvent, type RefObject, useMemo } from 'react'
import type { ItemId } from '../../protocol/bindings'
import { cardsOf } from '../../stores/cards'
import type { Stores } from '../../stores/stores'
import { useApp } from '../actions'
import { type CanvasValue, drawWhole } from './canvas-context'
import { readingOrder } from './reading-order'
import type { CanvasCommands } from './use-commands'

const STOPS = 'a[href], button, input, textarea, select, video[controls], [tabindex="0"]'

interface Edges {
  readonly start: RefObject<HTMLElement | null>
  readonly end: RefObject<HTMLElement | null>
}

export interface Walk {
  /** Moves the focus to a note. */
  goTo(id: ItemId | undefined): boolean
  /** Moves the focus to the first button of a note. */
  enter(id: ItemId): boolean
  /** Takes the focus off the notes. Tab then goes on behind them. */
  leave(): void
  onKeyDown(event: KeyboardEvent<HTMLElement>): void
  onFocus(event: FocusEvent<HTMLElement>): void
}

export function useWalk(context: CanvasValue, commands: CanvasCommands, { start, end }: Edges): Walk {
  const { stores } = useApp()
  return useMemo(
    () => createWalk(context, stores, commands, { start, end }),
    [context, stores, commands, start, end],
  )
}

function createWalk(
  { board, view }: CanvasValue,
  stores: Stores,
  commands: CanvasCommands,
  { start, end }: Edges,
): Walk {
  let isLeaving = false
  let last: ItemId | null = null
  const article = (id: ItemId) => board.element(id)?.querySelector<HTMLElement>('article') ?? null
  const goTo = (id: ItemId | undefined): boolean => {
    const note = id && article(id)
    if (note) note.focus({ preventScroll: true })
    return Boolean(note)
  }
  const goToLast = () => goTo(last ?? undefined) || goTo(walkOf(stores)[0])
  const leaveBy = (edge: HTMLElement | null) => {
    isLeaving = true
    edge?.focus({ preventScroll: true })
  }
  /** Moves the focus by one control of the note that was entered. Returns false when it leaves the notes. */
  const step = (from: HTMLElement, by: 1 | -1): boolean => {
    const note = noteOf(from)
    if (!note) return false
    const stops = stopsIn(note.element)
    const at = stops.indexOf(from)
    if (at === 0 && by === -1) return goTo(note.id)
    const next = at < 0 ? undefined : stops[at + by]
    next?.focus()
    return next !== undefined
  }
  /** Returns false when the browser moves the focus out of the canvas. */
  const tab = (from: HTMLElement, by: 1 | -1): boolean => {
    const [inward, outward] = by === 1 ? [start, end] : [end, start]
    // On an edge after leaving, this way leads back to the notes.
    if (from === inward.current) return goToLast()
    if (step(from, by)) return true
    if (noteOf(from)) leaveBy(outward.current)
    return false
  }
  const show = (element: HTMLElement) => {
    const id = noteOf(element)?.id
    if (!id) return
    last = id
    // A pressed note is in view; one that got the focus by a key may not be.
    if (!element.matches(':focus-visible')) return
    // A plate cannot show the focus.
    drawWhole(view, [id])
    commands.show(id)
  }
  return {
    goTo,
    enter(id) {
      const element = board.element(id)
      const [first] = element ? stopsIn(element) : []
      first?.focus()
      return first !== undefined
    },
    leave: () => leaveBy(end.current),
    onKeyDown(event) {
      const target = event.target as HTMLElement
      if (event.key === 'Tab' && tab(target, event.shiftKey ? -1 : 1)) event.preventDefault()
      if (event.key === 'Escape' && !target.matches('article') && goTo(noteOf(target)?.id)) {
        event.stopPropagation()
        event.preventDefault()
      }
    },
    onFocus({ target }) {
      const isEdge = target === start.current || target === end.current
      if (isEdge && !isLeaving) goToLast()
      else show(target)
      isLeaving = false
    },
  }
}

function noteOf(target: HTMLElement): { element: HTMLElement; id: ItemId } | null {
  const element = target.closest<HTMLElement>('[data-note]')
  return element && { element, id: element.dataset.note as ItemId }
}

/** Returns the controls of a note that can take the focus. */
function stopsIn(note: HTMLElement): HTMLElement[] {
  const all = [...note.querySelectorAll<HTMLElement>(STOPS)]
  return all.filter((stop) => stop.checkVisibility({ visibilityProperty: true }))
}

/** Returns the notes in reading order. */
function walkOf({ canvas, items }: Stores): ItemId[] {
  const { places } = canvas.getState()
  return readingOrder(
    cardsOf(items.getState().items).flatMap(({ id }) => {
      const place = places.get(id)
      return place ? [[id, place] as const] : []
    }),
  )
}
