/** The items on the canvas: draws those near the view, and announces new ones. */
import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import type { ItemId } from '../../protocol/bindings'
import type { Card } from '../../stores/cards'
import { useApp } from '../actions'
import type { CanvasValue } from './canvas-context'
import { draw } from './drawn-notes'
import { type Box, touches } from './geometry'
import { stillUnseen } from './newcomers'

/** Movement of the view in px after which the notes near it are determined again. */
const SLACK = 100

/** Draws the notes near the view, a few in each frame. */
export function useDrawing({ board, view }: CanvasValue, items: readonly Card[]): void {
  const { canvas } = useApp().stores
  const isFirst = useRef(true)
  useLayoutEffect(() => {
    let asked: Box | null = null
    let frame: number | undefined
    const drawNear = () => {
      frame = undefined
      asked = board.view
      const notes = [...board.boxes(idsOf(items), canvas.getState().places)]
      const before = view.getState().drawn
      const { drawn, goesOn } = draw(before, asked, notes, {
        atOnce: isFirst.current,
        isBusy: (id) => isBusy(board.element(id)),
      })
      if (items.length > 0) isFirst.current = false
      if (drawn !== before) view.setState({ drawn })
      if (goesOn) frame = requestAnimationFrame(drawNear)
    }
    drawNear()
    const ends = [
      canvas.subscribe((state, before) => {
        if (state.places !== before.places) frame ??= requestAnimationFrame(drawNear)
      }),
      board.onView(() => {
        if (!asked || isFar(asked, board.view)) frame ??= requestAnimationFrame(drawNear)
      }),
    ]
    return () => {
      for (const end of ends) end()
      if (frame !== undefined) cancelAnimationFrame(frame)
    }
  }, [board, view, canvas, items])
}

function isFar(a: Box, b: Box): boolean {
  return (
    Math.abs(a.x - b.x) > SLACK ||
    Math.abs(a.y - b.y) > SLACK ||
    Math.abs(a.x + a.width - b.x - b.width) > SLACK ||
    Math.abs(a.y + a.height - b.y - b.height) > SLACK
  )
}

function idsOf(items: readonly Card[]): ItemId[] {
  return items.map(({ id }) => id)
}

/** Whether a note has the focus or is playing. */
function isBusy(element: HTMLElement | undefined): boolean {
  if (!element) return false
  if (element.contains(document.activeElement)) return true
  return [...element.querySelectorAll<HTMLMediaElement>('audio, video')].some(
    (media) => !media.paused && !media.muted,
  )
}

/** Ends the announcement of notes that come into view or are removed. */
export function useSeeing({ board, view }: CanvasValue, items: readonly Card[]): void {
  const { canvas } = useApp().stores
  useEffect(() => {
    const see = () => {
      const { unseen } = view.getState()
      if (unseen.size === 0) return
      const boxes = new Map(board.boxes(idsOf(items), canvas.getState().places))
      const left = stillUnseen(unseen, board.view, (id) => boxes.get(id))
      if (left !== unseen) view.setState({ unseen: left })
    }
    see()
    const ends = [board.onView(see), canvas.subscribe(see)]
    return () => {
      for (const end of ends) end()
    }
  }, [board, view, canvas, items])
}

/** Notes in view up to which each keeps its whole tilt. */
const MOST_TILTED = 8

/** Marks the layer while many notes are in view: they tilt less then. */
export function useCrowding(
  { board }: CanvasValue,
  layer: RefObject<HTMLElement | null>,
  items: readonly Card[],
): void {
  const { canvas } = useApp().stores
  useLayoutEffect(() => {
    let frame: number | undefined
    const count = () => {
      frame = undefined
      const boxes = [...board.boxes(idsOf(items), canvas.getState().places)]
      const inView = boxes.filter(([, box]) => touches(box, board.view))
      layer.current?.toggleAttribute('data-crowded', inView.length > MOST_TILTED)
    }
    const later = () => {
      frame ??= requestAnimationFrame(count)
    }
    count()
    const ends = [board.onView(later), canvas.subscribe(later)]
    return () => {
      for (const end of ends) end()
      if (frame !== undefined) cancelAnimationFrame(frame)
    }
  }, [board, canvas, layer, items])
}
