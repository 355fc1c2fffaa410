/** Connects pointers and the wheel to the camera, the notes and the selection. */
import {
  type MouseEvent,
  type PointerEvent as ReactPointerEvent,
  type RefObject,
  useEffect,
  useMemo,
  useRef,
} from 'react'
import type { ItemId } from '../../protocol/bindings'
import { type CanvasEvent, type Point, reduceCanvas } from '../../stores/canvas'
import { cardsOf } from '../../stores/cards'
import type { Stores } from '../../stores/stores'
import { useApp } from '../actions'
import { panned, toCanvas, zoomed } from './camera'
import { type CanvasValue, drawWhole } from './canvas-context'
import { MOST_DRAWN } from './drawn-notes'
import { type Box, minus, touches } from './geometry'
import { type Gesture, type GestureEffect, handleGesture, IDLE, type PointerInput } from './gesture'
import type { Move } from './history'
import { undrawnIn } from './plates'
import { afterFrame, afterPress, draggedWith, type Selection, selectable } from './selection'

/** Controls that handle a press themselves: such a press neither drags nor selects the note. */
const CONTROLS =
  'a, button, input, textarea, select, label, summary, video[controls], [contenteditable="true"]'

/** The places of held notes are told at most this often, in ms. */
const HELD_PAUSE_MS = 100

interface Options {
  readonly ground: RefObject<HTMLElement | null>
  /**
   * The element below the notes that captures the pointer. It has no children, so its cursor applies to nothing else.
   */
  readonly surface: RefObject<HTMLElement | null>
  readonly frame: RefObject<HTMLElement | null>
  /** Whether the space bar is down. */
  readonly space: RefObject<boolean>
  readonly onMove: (moves: readonly Move[]) => void
}

/** Returns the handlers of the ground, and `giveUp`, which puts held notes back. */
export function useGestures(context: CanvasValue, options: Options) {
  const { stores } = useApp()
  const latest = useRef(options)
  latest.current = options
  const handlers = useMemo(() => {
    const { board } = context
    let gesture: Gesture = IDLE
    const doer = createDoer(context, stores, () => latest.current)
    const tell = (input: PointerInput) => {
      const step = handleGesture(gesture, input)
      gesture = step.gesture
      for (const effect of step.effects) doer(effect)
      const { current: surface } = latest.current.surface
      if (surface) surface.dataset.gesture = gesture.kind
    }
    const at = (event: MouseEvent) => under(event, latest.current.ground.current)
    /** Returns the note at the pointer. */
    const noteAt = (event: MouseEvent) => noteUnder(event.target) ?? plateAt(context, stores, at(event))
    return {
      isIdle: () => gesture.kind === 'idle',
      giveUp: () => tell({ type: 'escape' }),
      noteAt,
      onPointerDown(event: ReactPointerEvent) {
        const pans = latest.current.space.current || event.button === 1
        if (event.button > 1 || (!pans && isControl(event.target))) return
        // A press stops a flight of the camera.
        board.look(board.camera)
        tell({
          type: 'down',
          pointer: event.pointerId,
          at: at(event),
          on: noteAt(event),
          touch: event.pointerType === 'touch',
          shift: event.shiftKey,
          pans,
        })
      },
      onPointerMove(event: ReactPointerEvent) {
        if (gesture.kind === 'idle') return
        // The button was released outside of the page.
        if (event.pointerType === 'mouse' && event.buttons === 0) {
          return tell({ type: 'lost', pointer: event.pointerId })
        }
        tell({ type: 'move', pointer: event.pointerId, at: at(event) })
      },
      onPointerUp: (event: ReactPointerEvent) => tell({ type: 'up', pointer: event.pointerId }),
      onPointerCancel: (event: ReactPointerEvent) => tell({ type: 'lost', pointer: event.pointerId }),
      onLostPointerCapture(event: ReactPointerEvent) {
        // A touch is captured by its first target. Losing it to the surface does not end the gesture.
        if (event.target === latest.current.surface.current) tell({ type: 'lost', pointer: event.pointerId })
      },
    }
  }, [context, stores])
  useWheel(context, options.ground, handlers.isIdle)
  return handlers
}

/** Returns a function that tells where held notes are, for other devices to follow (S35). */
function createHeldTeller({ canvas }: Stores): (places: readonly (readonly [ItemId, Point])[]) => void {
  let toldAt = 0
  return (places) => {
    const now = performance.now()
    const { shared, held } = canvas.getState()
    const isTold = places.length === 0 ? held.size > 0 : shared && now - toldAt >= HELD_PAUSE_MS
    if (!isTold) return
    toldAt = now
    canvas.setState((state) => reduceCanvas(state, { type: 'held', places }), true)
  }
}

function createDoer(
  { board, view }: CanvasValue,
  stores: Stores,
  options: () => Options,
): (effect: GestureEffect) => void {
  const { canvas } = stores
  const tellHeld = createHeldTeller(stores)
  let held: ReadonlyMap<ItemId, Point> = new Map()
  let before: Selection | null = null
  const put = (event: CanvasEvent) => canvas.setState((state) => reduceCanvas(state, event), true)
  const hold = (note: ItemId, shift: boolean) => {
    const { selected, places } = canvas.getState()
    if (!shift && !selected.has(note)) put({ type: 'selected', ids: [] })
    const ids = draggedWith(selected, note)
    put({ type: 'raised', ids })
    drawWhole(view, ids.slice(0, MOST_DRAWN))
    held = new Map(ids.flatMap((id) => (places.has(id) ? [[id, places.get(id) as Point] as const] : [])))
    for (const id of held.keys()) board.element(id)?.setAttribute('data-held', '')
  }
  const dragged = (from: Point, by: Point): Point => ({
    x: Math.round(from.x + by.x / board.camera.zoom),
    y: Math.round(from.y + by.y / board.camera.zoom),
  })
  /** Moves a note by a transform until it is released, which needs no layout. */
  const show = (id: ItemId, { x, y }: Point) => {
    const element = board.element(id)
    if (element) element.style.transform = x === 0 && y === 0 ? '' : `translate(${x}px, ${y}px)`
  }
  const release = (by: Point | null) => {
    const moves: Move[] = []
    for (const [id, from] of held) {
      board.element(id)?.removeAttribute('data-held')
      show(id, { x: 0, y: 0 })
      if (by) moves.push({ id, from, to: dragged(from, by) })
    }
    tellHeld([])
    held = new Map()
    if (moves.length === 0) return
    options().onMove(moves)
  }
  const frame = (box: Box | null) => {
    drawFrame(options().frame.current, box)
    before = box ? (before ?? canvas.getState().selected) : null
    if (!box || !before) return
    const { x, y, width, height } = box
    const { zoom } = board.camera
    const area = { ...toCanvas(board.camera, { x, y }), width: width / zoom, height: height / zoom }
    const notes = board.boxes(selectable(stores), canvas.getState().places)
    put({ type: 'selected', ids: afterFrame(before, area, notes) })
  }
  return (effect) => {
    switch (effect.do) {
      case 'capture':
        return capture(options().surface.current, effect.pointer)
      case 'pan':
        return board.look(panned(board.camera, effect.by))
      case 'zoom':
        return board.look(zoomed(panned(board.camera, effect.by), effect.factor, effect.at))
      case 'frame':
        return frame(effect.box)
      case 'hold':
        return hold(effect.note, effect.shift)
      case 'drag':
        for (const [id, from] of held) show(id, minus(dragged(from, effect.by), from))
        return tellHeld([...held].map(([id, from]) => [id, dragged(from, effect.by)] as const))
      case 'release':
        return release(effect.by)
      case 'press':
        return put({
          type: 'selected',
          ids: afterPress(canvas.getState().selected, { ...effect, focused: focusedNote() }),
        })
    }
  }
}

function capture(surface: HTMLElement | null, pointer: number): void {
  try {
    surface?.setPointerCapture(pointer)
  } catch {
    // The pointer is already gone, and its end was reported.
  }
}

function drawFrame(element: HTMLElement | null, box: Box | null): void {
  if (!element) return
  element.hidden = box === null
  if (!box) return
  element.style.transform = `translate(${box.x}px, ${box.y}px)`
  element.style.width = `${box.width}px`
  element.style.height = `${box.height}px`
}

function noteUnder(target: EventTarget): ItemId | null {
  const note = target instanceof Element ? target.closest<HTMLElement>('[data-note]') : null
  return (note?.dataset.note as ItemId | undefined) ?? null
}

/** Returns the front note among the plates at a point of the screen. */
function plateAt(context: CanvasValue, { canvas, items }: Stores, at: Point): ItemId | null {
  const { places } = canvas.getState()
  const point = { ...toCanvas(context.board.camera, at), width: 0, height: 0 }
  const hit = undrawnIn(context, cardsOf(items.getState().items), places).filter(([, box]) =>
    touches(box, point),
  )
  const depth = (id: ItemId) => places.get(id)?.z ?? 0
  return hit.map(([id]) => id).sort((a, b) => depth(b) - depth(a))[0] ?? null
}

function isControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest(CONTROLS) !== null
}

/** Returns the note that has the focus, itself or in one of its controls. */
export function focusedNote(): ItemId | null {
  return document.activeElement ? noteUnder(document.activeElement) : null
}

/** Pixels per line, for wheels that count lines. */
const LINE = 16
/** A notch of a wheel, 100 px, zooms by a quarter. */
const ZOOM_A_PIXEL = Math.log(1.25) / 100
/** Smaller deltas come from a touchpad, which needs a larger zoom per pixel. */
const NOTCH = 50
const FINGERS = 4

function wheelFactor(by: number): number {
  return Math.exp(by * ZOOM_A_PIXEL * (Math.abs(by) < NOTCH ? FINGERS : 1))
}

function under(
  { clientX, clientY }: { clientX: number; clientY: number },
  element: HTMLElement | null,
): Point {
  const box = element?.getBoundingClientRect()
  return { x: clientX - (box?.x ?? 0), y: clientY - (box?.y ?? 0) }
}

function useWheel(
  { board }: CanvasValue,
  ground: RefObject<HTMLElement | null>,
  isIdle: () => boolean,
): void {
  useEffect(() => {
    const element = ground.current
    if (!element) return
    const onWheel = (event: WheelEvent) => {
      // Prevents scrolling and zooming of the page.
      event.preventDefault()
      if (!isIdle()) return
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE : 1
      const by = { x: -event.deltaX * unit, y: -event.deltaY * unit }
      const isZoom = event.ctrlKey || event.metaKey
      board.look(
        isZoom ? zoomed(board.camera, wheelFactor(by.y), under(event, element)) : panned(board.camera, by),
      )
    }
    // React adds wheel listeners as passive, and a passive listener cannot prevent the default.
    element.addEventListener('wheel', onWheel, { passive: false })
    return () => element.removeEventListener('wheel', onWheel)
  }, [board, ground, isIdle])
}
