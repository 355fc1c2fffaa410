/** Places the items that have no place yet, and makes room for notes that grow. */
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import type { ItemId } from '../../protocol/bindings'
import { newestOf } from '../../stores/arrivals'
import { type Camera, type CanvasState, HOME_CAMERA, type Point, reduceCanvas } from '../../stores/canvas'
import { type Card, cardsOf } from '../../stores/cards'
import type { Stores } from '../../stores/stores'
import { forward } from '../../ui/direction'
import { useApp } from '../actions'
import { barsOnCanvas, VIEW_INSETS } from './bars'
import type { Board } from './board'
import { showing, toCanvas, visibleBox } from './camera'
import { type CanvasValue, drawWhole } from './canvas-context'
import { Departed } from './departed'
import { MOST_DRAWN } from './drawn-notes'
import { boxAround, type Size, touches } from './geometry'
import { glide } from './glide'
import { expectedHeight, NOTE_WIDTH } from './note-size'
import { Placer } from './placement'
import { pushedDown } from './settling'

/** Among more notes, those that arrive one by one get the room that they are expected to need: each drawing costs a layout. */
const MOST_MEASURED = 200

/** Places every item that has no place, before the next paint. */
export function usePlacing(context: CanvasValue, items: readonly Card[]): void {
  const { board, view } = context
  const { stores } = useApp()
  const { canvas } = stores
  const beam = useStore(canvas, (state) => state.beam)
  const epoch = useStore(stores.items, (state) => state.epoch)
  const measured = useStore(view, (state) => state.measured)
  const [settled, settle] = useState(measured)
  const filled = useRef<string | null | undefined>(undefined)
  const [departed] = useState(() => new Departed())
  // biome-ignore lint/correctness/useExhaustiveDependencies: another beam has other places
  useLayoutEffect(() => {
    const { places } = canvas.getState()
    const missing = items.filter(({ id }) => !places.has(id))
    // The items that are there when a beam is joined or the canvas opens are not announced.
    const isFill = filled.current === undefined || filled.current !== epoch
    const wanted = isFill || items.length <= MOST_MEASURED ? idsOf(missing.slice(-MOST_DRAWN)) : []
    if (!isMeasured(wanted, view, settled, settle)) return
    filled.current = epoch
    const mayReturn = departed.among(idsOf(items), performance.now())
    if (missing.length > 0) placeAll(context, stores, missing, isFill, mayReturn)
    else if (isFill) showNewest(context, stores, items)
    if (measured.size > 0) view.setState({ measured: new Set() })
  }, [context, stores, items, beam, epoch, measured, settled, departed])
  useEffect(
    () =>
      canvas.subscribe((now, before) => {
        if (now.arranged === before.arranged) return
        for (const id of movedByOthers(now)) board.loose.delete(id)
        glide(board, now.arranged, now.places)
      }),
    [board, canvas],
  )
  useEffect(
    () =>
      board.onGrowth((id) => {
        const { places } = canvas.getState()
        const present = idsOf(cardsOf(stores.items.getState().items))
        const pushed = pushedDown(id, new Map(board.boxes(present, places)), board.loose)
        if (pushed.size === 0) return
        canvas.setState((state) => reduceCanvas(state, { type: 'placed', places: pushed }), true)
        glide(board, from(pushed.keys(), places), canvas.getState().places)
      }),
    [board, canvas, stores],
  )
}

/** Whether notes are drawn with all their parts. Otherwise another step of that begins, before the next paint. */
function isMeasured(
  wanted: readonly ItemId[],
  view: CanvasValue['view'],
  settled: ReadonlySet<ItemId>,
  settle: (measured: ReadonlySet<ItemId>) => void,
): boolean {
  const { measured } = view.getState()
  const isDrawn = wanted.every((id) => measured.has(id))
  if (!isDrawn) view.setState({ measured: new Set(wanted) })
  // Some draw a part, such as Show all, after they have measured themselves: in the same render as this state.
  else if (wanted.length > 0 && settled !== measured) settle(measured)
  else return true
  return false
}

/** Returns the notes that lie elsewhere since the latest news. A place of this device comes back in whole pixels. */
function movedByOthers({ arranged, places }: CanvasState): ItemId[] {
  const isMoved = ([id, old]: readonly [ItemId, Point]) => {
    const { x, y } = places.get(id) ?? old
    return Math.abs(x - old.x) >= 1 || Math.abs(y - old.y) >= 1
  }
  return [...arranged].filter(isMoved).map(([id]) => id)
}

function placeAll(
  { board, view }: CanvasValue,
  { canvas, devices, items }: Stores,
  missing: readonly Card[],
  isFill: boolean,
  mayReturn: readonly ItemId[],
): void {
  const { places } = canvas.getState()
  const { me } = devices.getState()
  const camera = board.destination
  const placer = new Placer(
    {
      view: visibleBox(camera, board.screen),
      bars: barsOnCanvas(camera, board.screen, devices.getState(), forward()),
      notes: [...board.boxes([...idsOf(cardsOf(items.getState().items)), ...mayReturn], places)].map(
        ([, box]) => box,
      ),
    },
    Math.random,
  )
  const isFirstFill = isFill && places.size === 0
  const isOwn = (item: Card) => !isFill && (item.from === null || item.from === me)
  const { drops } = canvas.getState()
  const found = new Map(placedAtDrops(board, placer, missing, drops))
  for (const { id } of missing) board.loose.add(id)
  const rest = missing.filter(({ id }) => !found.has(id)).map((item) => ({ item, size: sizeOf(board, item) }))
  // A device that joins late knows all from the beginning, and finds them as a block.
  const isBlock = isFirstFill && found.size === 0 && rest.length > 1
  const block = isBlock ? placer.fill(rest.map(({ size }) => size)) : []
  for (const [at, { item, size }] of rest.entries()) {
    found.set(item.id, block[at] ?? placer.place(size, isFirstFill || isOwn(item)))
  }
  const now: Camera = { ...camera, x: placer.view.x, y: placer.view.y }
  const outside = [...found]
    .filter(([id, at]) => !touches(board.boxOf(id, at), visibleBox(now, board.screen)))
    .map(([id]) => id)
  if (!isFill) markArrived(view, idsOf(missing), outside)
  // While they are few, those that were drawn to be measured stay.
  if (cardsOf(items.getState().items).length <= MOST_DRAWN) drawWhole(view, idsOf(missing))
  if (places.size > 0) markUnseen(view, newAmong(outside, missing, cardsOf(items.getState().items)))
  canvas.setState((state) => reduceCanvas(state, { type: 'placed', places: found }), true)
  if (now.y === camera.y) return
  if (!isFirstFill) return board.flyTo(now)
  board.look(now)
  canvas.setState((state) => reduceCanvas(state, { type: 'rested', camera: now }), true)
}

/** A device that joins a shared arrangement finds every note in its place, and sees all, or the newest of too many. */
function showNewest({ board }: CanvasValue, { canvas }: Stores, items: readonly Card[]): void {
  const { shared, camera, places } = canvas.getState()
  const boxes = [...board.boxes(idsOf(items), places)].map(([, box]) => box)
  const newest = boxes.at(-1)
  if (!shared || camera !== HOME_CAMERA || !newest) return
  const all = boxAround(boxes) ?? newest
  const now = showing(camera, hasRoom(board.screen, all) ? all : newest, board.screen, VIEW_INSETS)
  board.look(now)
  canvas.setState((state) => reduceCanvas(state, { type: 'rested', camera: now }), true)
}

/** Whether a box in its own size fits between the bars. */
function hasRoom(screen: Size, { width, height }: Size): boolean {
  const { top, right, bottom, left } = VIEW_INSETS
  return width <= screen.width - left - right && height <= screen.height - top - bottom
}

/** Returns the places of the items that were dropped. Those of one drop are a block at its point. */
function placedAtDrops(
  board: Board,
  placer: Placer,
  missing: readonly Card[],
  drops: CanvasState['drops'],
): (readonly [ItemId, Point])[] {
  const points = new Set(missing.flatMap(({ id }) => drops.get(id) ?? []))
  return [...points].flatMap((at) => {
    const items = missing.filter(({ id }) => drops.get(id) === at)
    const sizes = items.map((item) => sizeOf(board, item))
    const places = placer.placeAt(toCanvas(board.camera, at), sizes)
    return items.map(({ id }, index) => [id, places[index] ?? at] as const)
  })
}

/** Returns the measured size of a note, or the expected one if that is larger or the note is not drawn. */
function sizeOf(board: Board, { id, content }: Card): Size {
  const measured = board.element(id)?.offsetHeight ?? 0
  const size = { width: NOTE_WIDTH, height: expectedHeight(content, measured) }
  board.sized(id, size.height)
  return size
}

function idsOf(items: readonly Card[]): ItemId[] {
  return items.map(({ id }) => id)
}

function from<Place extends Point>(ids: Iterable<ItemId>, places: ReadonlyMap<ItemId, Place>) {
  return [...ids].flatMap((id) => {
    const place = places.get(id)
    return place ? [[id, place] as const] : []
  })
}

function markArrived(view: CanvasValue['view'], ids: readonly ItemId[], outside: readonly ItemId[]): void {
  // Notes that come into view are drawn whole at once, and not as plates first.
  const gone = new Set(outside)
  const inView = ids.filter((id) => !gone.has(id))
  view.setState(({ arrived }) => ({ arrived: new Set([...arrived, ...inView]) }))
  drawWhole(view, inView)
}

/** Returns those that came after all that have a place. Others only come back. */
function newAmong(ids: readonly ItemId[], missing: readonly Card[], all: readonly Card[]): ItemId[] {
  const fresh = new Set(idsOf(missing))
  const newest = newestOf(all.filter(({ id }) => !fresh.has(id)))
  const isNew = ({ seq }: Card) => seq === null || seq > newest
  const later = new Set(idsOf(missing.filter(isNew)))
  return ids.filter((id) => later.has(id))
}

function markUnseen(view: CanvasValue['view'], outside: readonly ItemId[]): void {
  if (outside.length === 0) return
  view.setState(({ unseen }) => ({ unseen: new Set([...unseen, ...outside]) }))
}
