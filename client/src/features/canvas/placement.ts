/** Finds room for new notes: at random in view, off the bars and off other notes while there is room. Pure. */
import type { Point } from '../../stores/canvas'
import { type Box, middle, type Size, touches } from './geometry'
import { NOTE_WIDTH } from './note-size'
import { Taken } from './taken'

/** From the edges of the view. */
export const MARGIN = 50
/** From a bar. */
export const BAR_GAP = 50
/** From another note; tilted corners stay apart. */
export const NOTE_GAP = 28
/** Stored notes keep only this much of themselves in view: the window minus 300 by 200. */
const STORED_ROOM: Size = { width: 300, height: 200 }
/** What a note is assumed to need in a view. */
const ROOM: Size = { width: NOTE_WIDTH + 2 * MARGIN, height: 200 + 2 * MARGIN }
/** How fine a crowded view is searched. */
const SCAN_STEP = 24
/** How many random places of a full view are compared. */
const TRIES = 24
/** Around a full view: room for nearly every note. */
const RING_PITCH: Point = { x: NOTE_WIDTH + 2 * NOTE_GAP, y: 264 + 2 * NOTE_GAP }

export interface Ground {
  /** The visible part of the canvas. */
  readonly view: Box
  /** What floats above it, in the same coordinates. */
  readonly bars: readonly Box[]
  readonly notes: Iterable<Box>
}

/** Gives numbers from 0 up to 1, like `Math.random`. */
export type Random = () => number

export interface NewNote extends Size {
  /** The server stores it. */
  readonly stored: boolean
  /** Shared from here: it is put where it is seen, on others if it must be. */
  readonly own: boolean
}

/** Gives one note after the other the upper left corner where it goes; each takes its room from the next. */
export function placer(ground: Ground, random: Random): (note: NewNote) => Point {
  const taken = new Taken(ground.notes)
  const rings = ringSlots(ground.view, random)
  let isFull = false
  const find = (note: NewNote): Point => {
    const search = { size: { width: note.width, height: note.height }, ground, taken, random }
    const corners = cornersIn(ground.view, note.stored)
    const inView = isFull ? null : (freeSlot(search, corners) ?? freeScan(search, corners))
    // What one note found no room in is not searched again for each of two thousand.
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

/** Where the upper left corner of a note may be, so that an assumed note is in view. */
function cornersIn(view: Box, stored: boolean): Box {
  const margin = stored ? 0 : MARGIN
  const room = stored ? STORED_ROOM : ROOM
  return {
    x: view.x + margin,
    y: view.y + margin,
    width: Math.max(0, view.width - room.width),
    height: Math.max(0, view.height - room.height),
  }
}

function isFree(at: Point, { size, ground, taken }: Search): boolean {
  const box = { ...at, ...size }
  return !ground.bars.some((bar) => touches(box, bar, BAR_GAP)) && taken.near(box, NOTE_GAP).length === 0
}

/** One of the slots that the view has side by side, somewhere within it: so a full view has no gaps left over. */
function freeSlot(search: Search, corners: Box): Point | null {
  const { size, random } = search
  const open = betweenBars(search, corners)
  const rows = split(open.y, open.height, size.height + NOTE_GAP)
  const columns = split(open.x, open.width, size.width + NOTE_GAP)
  const slots = rows.starts.flatMap((y) => columns.starts.map((x) => ({ x, y })))
  // Beside the large code every slot is needed: notes stand in line there.
  const play = search.ground.bars.some((bar) => isAtSide(bar, search.ground.view)) ? 0 : 1
  for (const slot of shuffled(slots, random)) {
    const dx = random() * columns.slack * play
    const dy = random() * rows.slack * play
    const at = rounded({ x: slot.x + dx, y: slot.y + dy })
    if (isFree(at, search)) return at
  }
  return null
}

/** Whether it stands at the left of the view rather than above or below its middle. */
function isAtSide(bar: Box, view: Box): boolean {
  const { y } = middle(view)
  return bar.y < y && y < bar.y + bar.height
}

/** The corners under the upper bars, above the lower ones and right of one at the left; all where that leaves nothing. */
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

/** As many steps of this pitch as fit, spread evenly, and how far a note may wander within each. */
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

/** In a full view: of some random places the one where the least is covered, bars least of all. */
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

/** The area that two boxes share. */
function shared(a: Box, b: Box): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y)
  return Math.max(0, width) * Math.max(0, height)
}

/** Outside of a full view, as near to it as there is room. */
function beside({ size, taken, random }: Search, rings: Generator<Point, never>): Point {
  for (;;) {
    const slot = rings.next().value
    const at = rounded({ x: slot.x + random() * NOTE_GAP, y: slot.y + random() * NOTE_GAP })
    if (taken.near({ ...at, ...size }, NOTE_GAP).length === 0) return at
  }
}

/** Ring after ring around the view, without end. */
function* ringSlots(view: Box, random: Random): Generator<Point, never> {
  for (let ring = 1; ; ring += 1) yield* shuffled(ringAround(view, ring), random)
}

/** The slots of the ring so many notes away from the view. */
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
