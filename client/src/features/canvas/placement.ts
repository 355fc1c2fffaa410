/**
 * Places new notes, own and others' by one rule: the first in the middle of the view, the next in rows around it, at
 * random among the free places of the view; when there is none, below, in the column that ends highest. Those that are
 * there when a beam is joined are a block. Distances are in px.
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
    const at = rounded(inView ?? this.#below(size, follows))
    const box = { ...at, ...size }
    this.take(box)
    if (!inView && follows) this.#follow(box)
    return at
  }

  /**
   * Places notes in as many columns as fit, in the middle of the view when it has room for all. Otherwise the view moves
   * down to the end of the columns, as far as it still shows the newest.
   */
  fill(sizes: readonly Size[]): Point[] {
    const area = this.#area
    const inOrder = inColumns(sizes, area)
    const blocks = [inOrder, tallestFirst(sizes, area)]
    const block = blocks.find((boxes) => bottomOf(boxes) <= area.height) ?? inOrder
    const top = area.y + Math.max(0, (area.height - bottomOf(block)) / 2)
    const boxes = block.map((box) => ({ ...box, ...rounded({ x: box.x, y: box.y + top }) }))
    for (const box of boxes) this.take(box)
    const newest = boxes.at(-1)
    if (newest) this.#follow({ ...newest, height: bottomOf(boxes) - newest.y })
    return boxes.map(({ x, y }) => ({ x, y }))
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
    return this.#below(size, true)
  }

  /** Marks room as taken. */
  take(box: Box): void {
    this.#notes.push(box)
    this.#taken.add(box)
  }

  #inView(size: Size): Point | null {
    const near = this.#taken.near(this.#view, 0)
    const first = this.#first(size)
    if (near.length === 0 && this.#isFree({ ...first, ...size })) return first
    const free = (places: Point[]) => places.map(rounded).filter((at) => this.#isFree({ ...at, ...size }))
    const beside = free(near.flatMap((note) => besides(note, size)))
    if (beside.length > 0) return this.#any(beside)
    const rows = free(near.flatMap((note) => [over(note, size), under(rowOf(note, near))]))
    const stacked = () => this.#any(free(near.map((note) => under([note]))))
    return this.#any(rows) ?? stacked() ?? this.#any(free(this.#everywhere(size)))
  }

  /**
   * Returns the middle of the room. Beside the large code it is the column left of the middle where an even number of
   * columns fits: there would be one less around a note in the middle, and the code leaves few.
   */
  #first({ width, height }: Size): Point {
    const area = this.#area
    const centre = middle(area)
    const isBesideCode = area.width < inset(this.#view).width
    const shift = isBesideCode && columnsIn(area, width) % 2 === 0 ? (width + NOTE_GAP) / 2 : 0
    return { x: centre.x - width / 2 - shift, y: centre.y - height / 2 }
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

  /**
   * Returns the place under all notes of the column that ends highest. The columns are those of the lowest note. Where
   * the view does not follow, a place is not under a bar either: nobody would be told of the note.
   */
  #below({ width }: Size, follows: boolean): Point {
    const area = this.#area
    const level = this.#notes.filter((note) => note.y + note.height > this.#view.y)
    const here = level.filter((note) => isInColumn(note, area.x, area.width, 0))
    const lowest = here.reduce((low, { x, y }) => (y > low.y ? { x, y } : low), { x: area.x, y: area.y })
    const pitch = width + NOTE_GAP
    const start = area.x + ((((lowest.x - area.x) % pitch) + pitch) % pitch)
    const left = start + width > area.x + area.width ? area.x : start
    const count = columnsIn({ width: area.x + area.width - left }, width)
    const ends = Array.from({ length: count }, (_, column) => {
      const x = left + column * pitch
      const above = [...level, ...(follows ? [] : this.#bars)]
      return { x, y: bottomOf(above.filter((box) => isInColumn(box, x, width, NOTE_GAP))) + NOTE_GAP }
    })
    const { x, y } = ends.reduce((best, end) => (end.y < best.y ? end : best))
    return { x, y: Math.max(area.y, y) }
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

/** Returns the number of columns that fit a width, at least 1. */
export function columnsIn(area: Pick<Size, 'width'>, width: number): number {
  return Math.max(1, Math.floor((area.width + NOTE_GAP) / (width + NOTE_GAP)))
}

/** Returns boxes in columns, each in the column that ends highest so far. Their upper edge is at 0. */
function inColumns(sizes: readonly Size[], area: Box): Box[] {
  const width = sizes.reduce((widest, size) => Math.max(widest, size.width), 0)
  const pitch = width + NOTE_GAP
  const count = Math.min(sizes.length, columnsIn(area, width))
  const left = area.x + Math.max(0, (area.width - count * pitch + NOTE_GAP) / 2)
  const ends = Array<number>(count).fill(0)
  return sizes.map((size) => {
    const y = Math.min(...ends)
    const column = ends.indexOf(y)
    ends[column] = y + size.height + NOTE_GAP
    return { ...size, x: left + column * pitch, y }
  })
}

/** Returns boxes in columns of more even length, for what would not fit in the order of the beam. */
function tallestFirst(sizes: readonly Size[], area: Box): Box[] {
  const sorted = [...sizes.entries()].sort(([, a], [, b]) => b.height - a.height)
  const boxes = inColumns(
    sorted.map(([, size]) => size),
    area,
  )
  return sorted
    .map(([index], at) => [index, boxes[at]] as const)
    .sort(([a], [b]) => a - b)
    .flatMap(([, box]) => box ?? [])
}

function isInColumn(note: Box, left: number, width: number, gap: number): boolean {
  return note.x < left + width + gap && note.x + note.width > left - gap
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
