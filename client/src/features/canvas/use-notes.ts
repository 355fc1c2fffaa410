/** The items on the canvas: places them, draws those near the view, and announces new ones. */
import { useEffect, useLayoutEffect, useRef } from 'react'
import { useStore } from 'zustand'
import type { ItemId } from '../../protocol/bindings'
import { type Point, reduceCanvas } from '../../stores/canvas'
import type { Card } from '../../stores/cards'
import { useApp } from '../actions'
import { barsOf } from './bars'
import type { Board } from './board'
import { toCanvas } from './camera'
import { type CanvasValue, drawWhole } from './canvas-context'
import { draw } from './drawn-notes'
import { type Box, touches } from './geometry'
import { stillUnseen } from './newcomers'
import { expectedSize } from './note-size'
import { placer } from './placement'

/** Places every item that has no place, before the next paint. */
export function usePlacing({ board, view }: CanvasValue, items: readonly Card[]): void {
  const { canvas, items: itemsStore, devices } = useApp().stores
  const beam = useStore(canvas, (state) => state.beam)
  const epoch = useStore(itemsStore, (state) => state.epoch)
  const filled = useRef<string | null | undefined>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another beam has other places
  useLayoutEffect(() => {
    const { places } = canvas.getState()
    // The items that are there when a beam is joined or the canvas opens are not announced.
    const isFill = filled.current === undefined || filled.current !== epoch
    filled.current = epoch
    const missing = items.filter(({ id }) => !places.has(id))
    if (missing.length === 0) return
    const { me } = devices.getState()
    const isOwn = (item: Card) => !isFill && (item.from === null || item.from === me)
    const find = placer(
      {
        view: board.view,
        bars: barsOnCanvas(board, devices.getState().devices.length > 1 ? 'corner' : 'large'),
        notes: [...board.boxes(idsOf(items), places)].map(([, box]) => box),
      },
      Math.random,
    )
    const place = (item: Card): readonly [ItemId, Point] => [
      item.id,
      find({ ...expectedSize(item.content), own: isOwn(item) }),
    ]
    // From the newest on: of more notes than have room in view, the newest are there.
    const found = missing.toReversed().map(place).reverse()
    const outside = found.filter(([id, at]) => !touches(board.boxOf(id, at), board.view)).map(([id]) => id)
    if (!isFill) markArrived(view, idsOf(missing), outside)
    if (places.size > 0) markUnseen(view, outside)
    canvas.setState((state) => reduceCanvas(state, { type: 'placed', places: found }), true)
  }, [board, view, canvas, devices, items, beam, epoch])
}

function idsOf(items: readonly Card[]): ItemId[] {
  return items.map(({ id }) => id)
}

function barsOnCanvas({ camera, screen }: Board, code: 'large' | 'corner'): Box[] {
  return barsOf(screen, code).map(({ width, height, ...at }) => ({
    ...toCanvas(camera, at),
    width: width / camera.zoom,
    height: height / camera.zoom,
  }))
}

function markArrived(view: CanvasValue['view'], ids: readonly ItemId[], outside: readonly ItemId[]): void {
  // Notes that come into view are drawn whole at once, and not as plates first.
  const inView = ids.filter((id) => !outside.includes(id))
  view.setState(({ arrived }) => ({ arrived: new Set([...arrived, ...inView]) }))
  drawWhole(view, inView)
}

function markUnseen(view: CanvasValue['view'], outside: readonly ItemId[]): void {
  if (outside.length === 0) return
  view.setState(({ unseen }) => ({ unseen: new Set([...unseen, ...outside]) }))
}

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
    return board.onView(see)
  }, [board, view, canvas, items])
}
