/**
 * Places new notes, own and others' by one rule: the first in the middle of the view, the next in rows around it, at
 * random among the free places of the view; when there is none, in rows below. Distances are in px.
 */
import type { Point } from '../../stores/canvas'
import { type Box, clamp, middle, type Size, touches } from './geometry'
import { Taken } from './taken'

/** Distance from the edges of the view. */
export const MARGIN = 50
/** Distance from a bar. */
export const BAR_GAP = 50
/** Distance of the notes in a row, and of the rows. */
export const NOTE_GAP = 28
/** Step of the search between notes that are not in rows. */
const SCAN_STEP = 24
/** Step and reach of the search around a point on which notes are dropped. */
const NEAR_STEP = 14
const MOST_NEAR = 3000

export interface Ground {
  /** The visible part of the canvas. */
  readonly view: Box
  /** The bars above it, in canvas coordinates. */
  readonly bars: readonly Box[]
  readonly notes: Iterable<Box>
}

/** Returns numbers from 0 to below 1, like `Math.random`. */
export type Random = () => number

/** Places one note after the other; each counts as taken room for the next. */
export class Placer {
  readonly #taken: Taken
  readonly #notes: Box[]
  readonly #random: Random
  #view: Box
  #bars: readonly Box[]
  /** A view that had no room for one note is not searched again for the next, of which there may be two thousand. */
  #isFull = false

  constructor({ view, bars, notes }: Ground, random: Random) {
    this.#view = view
    this.#bars = bars
    this.#notes = [...notes]
    this.#taken = new Taken(this.#notes)
    this.#random = random
  }

  /** The view after it has followed the notes that it should show. */
  get view(): Box {
    return this.#view
  }

  /** @param follows whether the view moves down to the note when it has no room for it */
  place(size: Size, follows: boolean): Point {
    const inView = this.#isFull ? null : this.#inView(size)
    this.#isFull = inView === null
    const at = rounded(inView ?? this.#below(size))
    const box = { ...at, ...size }
    this.take(box)
    if (!inView && follows) this.#follow(box)
    return at
  }

  /**
   * Places notes that were dropped at a point: the first under it, the others in a block from there to the right and
   * down. One that would cover another goes to the nearest free place.
   */
  placeAt(at: Point, sizes: readonly Size[]): Point[] {
    const columns = Math.ceil(Math.sqrt(sizes.length))
    const [first] = sizes
    const start = first ? { x: at.x - first.width / 2, y: at.y - first.height / 2 } : at
    let { y } = start
    let lowest = y
    return sizes.map((size, index) => {
      const column = index % columns
      if (column === 0) y = index === 0 ? y : lowest + NOTE_GAP
      const found = this.#nearest({ x: start.x + column * (size.width + NOTE_GAP), y }, size)
      this.take({ ...found, ...size })
      lowest = Math.max(lowest, found.y + size.height)
      return found
    })
  }

  #nearest(wanted: Point, size: Size): Point {
    for (const at of around(wanted)) {
      const box = { ...rounded(at), ...size }
      const isUnderBar = this.#bars.some((bar) => touches(box, bar))
      if (!isUnderBar && this.#taken.near(box, NOTE_GAP).length === 0) return rounded(at)
    }
    return this.#below(size)
  }

  /** Marks room as taken. */
  take(box: Box): void {
    this.#notes.push(box)
    this.#taken.add(box)
  }

  #inView(size: Size): Point | null {
    const near = this.#taken.near(this.#view, 0)
    const centre = middle(this.#area)
    const first = { x: centre.x - size.width / 2, y: centre.y - size.height / 2 }
    if (near.length === 0 && this.#isFree({ ...first, ...size })) return first
    const free = (places: Point[]) => places.map(rounded).filter((at) => this.#isFree({ ...at, ...size }))
    const beside = free(near.flatMap((note) => besides(note, size)))
    if (beside.length > 0) return this.#any(beside)
    const rows = free(near.flatMap((note) => [over(note, size), under(rowOf(note, near))]))
    const stacked = () => this.#any(free(near.map((note) => under([note]))))
    return this.#any(rows) ?? stacked() ?? this.#any(free(this.#everywhere(size)))
  }

  #any(places: readonly Point[]): Point | null {
    return places[Math.floor(this.#random() * places.length)] ?? null
  }

  /**
   * Whether a box is in the view, away from its edges, the bars and all notes. Room below or above the large code is not
   * free: the code would cover a note there as soon as the view moves on.
   */
  #isFree(box: Box): boolean {
    return isInside(box, this.#columns) && this.#isUncovered(box)
  }

  #isUncovered(box: Box): boolean {
    const isUnderBar = this.#bars.some((bar) => touches(box, bar, BAR_GAP))
    return !isUnderBar && this.#taken.near(box, NOTE_GAP).length === 0
  }

  #everywhere({ width, height }: Size): Point[] {
    const { x: left, y: top, width: across, height: down } = this.#columns
    const places: Point[] = []
    for (let y = top; y <= top + down - height; y += SCAN_STEP) {
      for (let x = left; x <= left + across - width; x += SCAN_STEP) places.push({ x, y })
    }
    return places
  }

  /** Returns a place in the lowest row, or in a new row below it. */
  #below(size: Size): Point {
    const area = this.#area
    const column = lowestRow(this.#notes, { ...area, y: this.#view.y })
    const [lowest] = column.row
    if (!lowest) return { x: area.x, y: area.y }
    const ends = area.x + area.width - size.width
    const isOpen = (at: Point) => at.x >= area.x && at.x <= ends && this.#isUncovered({ ...at, ...size })
    const open = column.row.flatMap((note) => besides(note, size)).filter(isOpen)
    const [next] = open.sort((a, b) => a.x - b.x)
    const pitch = size.width + NOTE_GAP
    const left = area.x + ((((lowest.x - area.x) % pitch) + pitch) % pitch)
    return next ?? { x: left > ends ? area.x : left, y: column.bottom + NOTE_GAP }
  }

  /** Moves the view down until it shows the box, or as much of it as fits. */
  #follow(box: Box): void {
    const area = this.#area
    const down = clamp(box.y + box.height - area.y - area.height, 0, Math.max(0, box.y - area.y))
    this.#view = { ...this.#view, y: this.#view.y + down }
    this.#bars = this.#bars.map((bar) => ({ ...bar, y: bar.y + down }))
  }

  get #area(): Box {
    return areaOf(this.#view, this.#bars)
  }

  /** The view without its edges and without the columns of the large code. */
  get #columns(): Box {
    const { y, height, ...inner } = inset(this.#view)
    const area = this.#area
    const x = Math.max(inner.x, area.x)
    return { x, y, width: Math.min(inner.x + inner.width, area.x + area.width) - x, height }
  }
}

/** Returns the part of the view between the bars; the whole view when they leave no room. */
export function areaOf(view: Box, bars: readonly Box[]): Box {
  const inner = inset(view)
  const centre = middle(view)
  let { y: top, x: left } = inner
  let right = inner.x + inner.width
  let bottom = inner.y + inner.height
  for (const bar of bars) {
    const isBeside = bar.y < centre.y && centre.y < bar.y + bar.height
    if (isBeside && middle(bar).x < centre.x) left = Math.max(left, bar.x + bar.width + BAR_GAP)
    else if (isBeside) right = Math.min(right, bar.x - BAR_GAP)
    else if (middle(bar).y < centre.y) top = Math.max(top, bar.y + bar.height + BAR_GAP)
    else bottom = Math.min(bottom, bar.y - BAR_GAP)
  }
  if (bottom <= top || right <= left) return view
  return { x: left, y: top, width: right - left, height: bottom - top }
}

/** Returns the lowest row below the upper edge of an area and in its width, and the lower edge of all notes there. */
function lowestRow(notes: readonly Box[], { x, y, width }: Box): { row: Box[]; bottom: number } {
  let row: Box[] = []
  let bottom = Number.NEGATIVE_INFINITY
  for (const note of notes) {
    if (note.x >= x + width || note.x + note.width <= x || note.y + note.height <= y) continue
    bottom = Math.max(bottom, note.y + note.height)
    const top = row[0]?.y ?? Number.NEGATIVE_INFINITY
    if (note.y > top) row = [note]
    else if (note.y === top) row.push(note)
  }
  return { row, bottom }
}

/** Yields a point and those around it, the nearer first. */
function* around(centre: Point): Generator<Point> {
  yield centre
  for (let radius = NEAR_STEP; radius <= MOST_NEAR; radius += NEAR_STEP) {
    const count = Math.ceil((2 * Math.PI * radius) / NEAR_STEP)
    for (let index = 0; index < count; index += 1) {
      const turn = (2 * Math.PI * index) / count
      yield { x: centre.x + radius * Math.cos(turn), y: centre.y + radius * Math.sin(turn) }
    }
  }
}

function besides(note: Box, { width }: Size): Point[] {
  return [
    { x: note.x - NOTE_GAP - width, y: note.y },
    { x: note.x + note.width + NOTE_GAP, y: note.y },
  ]
}

function over({ x, y }: Box, { height }: Size): Point {
  return { x, y: y - NOTE_GAP - height }
}

function under(row: readonly Box[]): Point {
  return { x: row[0]?.x ?? 0, y: bottomOf(row) + NOTE_GAP }
}

/** Returns a note and the others in its row. */
function rowOf(note: Box, notes: readonly Box[]): Box[] {
  return [note, ...notes.filter(({ y }) => y === note.y)]
}

function bottomOf(notes: readonly Box[]): number {
  return notes.reduce((lowest, { y, height }) => Math.max(lowest, y + height), Number.NEGATIVE_INFINITY)
}

function inset({ x, y, width, height }: Box): Box {
  return { x: x + MARGIN, y: y + MARGIN, width: width - 2 * MARGIN, height: height - 2 * MARGIN }
}

function isInside(box: Box, outer: Box): boolean {
  return (
    box.x >= outer.x &&
    box.y >= outer.y &&
    box.x + box.width <= outer.x + outer.width &&
    box.y + box.height <= outer.y + outer.height
  )
}

function rounded({ x, y }: Point): Point {
  return { x: Math.round(x), y: Math.round(y) }
}
