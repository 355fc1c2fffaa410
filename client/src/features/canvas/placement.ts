/** Places new notes: at random in the view, away from bars and other notes while there is room. Distances are in px. */
import type { Point } from '../../stores/canvas'
import { type Box, middle, type Size, touches } from './geometry'
import { NOTE_WIDTH } from './note-size'
import { Taken } from './taken'

/** Distance from the edges of the view. */
export const MARGIN = 50
/** Distance from a bar. */
export const BAR_GAP = 50
/** Distance from another note, so that tilted corners do not touch. */
export const NOTE_GAP = 28
/** The room assumed for a note in a view. It keeps stored notes within the window minus 300 by 200, too. */
const ROOM: Size = { width: NOTE_WIDTH + 2 * MARGIN, height: 200 + 2 * MARGIN }
/** Step of the search in a crowded view. */
const SCAN_STEP = 24
/** Number of random places compared in a full view. */
const TRIES = 24
/** Distance of the slots around a full view; nearly every note fits one. */
const RING_PITCH: Point = { x: NOTE_WIDTH + 2 * NOTE_GAP, y: 264 + 2 * NOTE_GAP }

export interface Ground {
  /** The visible part of the canvas. */
  readonly view: Box
  /** The bars above it, in canvas coordinates. */
  readonly bars: readonly Box[]
  readonly notes: Iterable<Box>
}

/** Returns numbers from 0 to below 1, like `Math.random`. */
export type Random = () => number

export interface NewNote extends Size {
  /** Whether it was shared from here: then it is placed in view even when it has to cover others. */
  readonly own: boolean
}

/** Returns a function that places one note after the other; each counts as taken room for the next. */
export function placer(ground: Ground, random: Random): (note: NewNote) => Point {
  const taken = new Taken(ground.notes)
  const rings = ringSlots(ground.view, random)
  let isFull = false
  const find = (note: NewNote): Point => {
    const search = { size: { width: note.width, height: note.height }, ground, taken, random }
    const corners = cornersIn(ground.view)
    const inView = isFull ? null : (freeSlot(search, corners) ?? freeScan(search, corners))
    // A view that had no room for one note is not searched again for the next, of which there may be two thousand.
    if (!inView) isFull = true
    return inView ?? (note.own ? leastCovering(search, corners) : beside(search, rings))
  }
  return (note) => {
    const at = find(note)
    taken.add({ ...at, width: note.width, height: note.height })
    return at
  }
}

interface Search {
  readonly size: Size
  readonly ground: Ground
  readonly taken: Taken
  readonly random: Random
}

/** Returns the box for the upper left corner with which a note of assumed size is in view. */
function cornersIn(view: Box): Box {
  return {
    x: view.x + MARGIN,
    y: view.y + MARGIN,
    width: Math.max(0, view.width - ROOM.width),
    height: Math.max(0, view.height - ROOM.height),
  }
}

function isFree(at: Point, { size, ground, taken }: Search): boolean {
  const box = { ...at, ...size }
  return !ground.bars.some((bar) => touches(box, bar, BAR_GAP)) && taken.near(box, NOTE_GAP).length === 0
}

/** Returns one of the free slots that stand side by side in the view. Slots leave no unusable gaps. */
function freeSlot(search: Search, corners: Box): Point | null {
  const { size, random } = search
  const open = betweenBars(search, corners)
  const rows = split(open.y, open.height, size.height + NOTE_GAP)
  const columns = split(open.x, open.width, size.width + NOTE_GAP)
  const slots = rows.starts.flatMap((y) => columns.starts.map((x) => ({ x, y })))
  // Beside the large QR code every slot is needed, so notes stand in line there.
  const play = search.ground.bars.some((bar) => isAtSide(bar, search.ground.view)) ? 0 : 1
  for (const slot of shuffled(slots, random)) {
    const dx = random() * columns.slack * play
    const dy = random() * rows.slack * play
    const at = rounded({ x: slot.x + dx, y: slot.y + dy })
    if (isFree(at, search)) return at
  }
  return null
}

/** Whether a bar is at the left of the view, and not above or below its middle. */
function isAtSide(bar: Box, view: Box): boolean {
  const { y } = middle(view)
  return bar.y < y && y < bar.y + bar.height
}

/** Returns the corners below the upper bars, above the lower ones and right of one at the left; all if none remain. */
function betweenBars({ size, ground }: Search, corners: Box): Box {
  const half = middle(ground.view).y
  let top = corners.y
  let bottom = corners.y + corners.height
  let left = corners.x
  for (const bar of ground.bars) {
    if (isAtSide(bar, ground.view)) left = Math.max(left, bar.x + bar.width + BAR_GAP)
    else if (middle(bar).y < half) top = Math.max(top, bar.y + bar.height + BAR_GAP)
    else bottom = Math.min(bottom, bar.y - BAR_GAP - size.height)
  }
  const right = corners.x + corners.width
  if (bottom < top || right < left) return corners
  return { x: left, y: top, width: right - left, height: bottom - top }
}

/** Spreads as many steps of a pitch as fit evenly over a length, with the slack of each. */
function split(from: number, length: number, pitch: number): { starts: number[]; slack: number } {
  const count = Math.floor(length / pitch) + 1
  const step = count === 1 ? length : (length - (count - 1) * pitch) / count
  return {
    starts: Array.from({ length: count }, (_, index) => from + index * (pitch + (count === 1 ? 0 : step))),
    slack: step,
  }
}

function freeScan(search: Search, corners: Box): Point | null {
  const free: Point[] = []
  for (let y = corners.y; y <= corners.y + corners.height; y += SCAN_STEP) {
    for (let x = corners.x; x <= corners.x + corners.width; x += SCAN_STEP) {
      const at = rounded({ x, y })
      if (isFree(at, search)) free.push(at)
    }
  }
  return free[Math.floor(search.random() * free.length)] ?? null
}

/** For a full view: of some random places, the one that covers the least. Bars count most. */
function leastCovering({ size, ground, taken, random }: Search, corners: Box): Point {
  const tries = Array.from({ length: TRIES }, () =>
    rounded({ x: corners.x + random() * corners.width, y: corners.y + random() * corners.height }),
  )
  const covered = (at: Point) => {
    const box = { ...at, ...size }
    const bars = ground.bars.reduce((sum, bar) => sum + 4 * shared(box, bar), 0)
    return taken.near(box, 0).reduce((sum, note) => sum + shared(box, note), bars)
  }
  return tries.reduce((best, at) => (covered(at) < covered(best) ? at : best))
}

/** Returns the area that two boxes share. */
function shared(a: Box, b: Box): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y)
  return Math.max(0, width) * Math.max(0, height)
}

/** Returns a place outside of a full view, as near to it as there is room. */
function beside({ size, taken, random }: Search, rings: Generator<Point, never>): Point {
  for (;;) {
    const slot = rings.next().value
    const at = rounded({ x: slot.x + random() * NOTE_GAP, y: slot.y + random() * NOTE_GAP })
    if (taken.near({ ...at, ...size }, NOTE_GAP).length === 0) return at
  }
}

/** Yields the slots of ring after ring around the view, without end. */
function* ringSlots(view: Box, random: Random): Generator<Point, never> {
  for (let ring = 1; ; ring += 1) yield* shuffled(ringAround(view, ring), random)
}

/** Returns the slots of the ring at this many notes from the view. */
function ringAround(view: Box, ring: number): Point[] {
  const columns = Math.ceil(view.width / RING_PITCH.x) + 2 * ring
  const rows = Math.ceil(view.height / RING_PITCH.y) + 2 * ring
  const slots: Point[] = []
  for (let row = 0; row < rows; row += 1) {
    const isEdge = row === 0 || row === rows - 1
    for (let column = 0; column < columns; column += isEdge ? 1 : columns - 1) {
      slots.push({
        x: view.x + (column - ring) * RING_PITCH.x,
        y: view.y + (row - ring) * RING_PITCH.y,
      })
    }
  }
  return slots
}

function shuffled<T>(values: readonly T[], random: Random): T[] {
  return values
    .map((value) => ({ value, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ value }) => value)
}

function rounded({ x, y }: Point): Point {
  return { x: Math.round(x), y: Math.round(y) }
}
