/** Arranges notes: in rows, along an edge, or at equal distances. Distances are in px. */
import type { ItemId } from '../../protocol/bindings'
import type { Point } from '../../stores/canvas'
import { type Box, boxAround, type Size } from './geometry'
import { NOTE_WIDTH } from './note-size'
import { columnsIn, NOTE_GAP } from './placement'
import { readingOrder } from './reading-order'

export type Edge = 'left' | 'centre' | 'right' | 'top' | 'middle' | 'bottom'
export type Axis = 'horizontal' | 'vertical'
export type Notes = readonly (readonly [ItemId, Box])[]
export type Places = readonly (readonly [ItemId, Point])[]

/** Up to this many notes, rows are as wide as the view; of more, they make a square. */
const MOST_FITTED = 60

/** The smallest zoom at which notes can be read. */
const LEAST_READABLE = 0.5

/**
 * Returns rows of notes in reading order, in the middle of an area and from its top. They are no wider than a screen
 * shows at a readable zoom, however small the notes are now.
 */
export function inRows(notes: Notes, area: Box, screen: Pick<Size, 'width'>): Places {
  const boxes = new Map(notes)
  const columns = columnsFor(notes.length, Math.min(area.width, screen.width / LEAST_READABLE))
  const left = area.x + Math.max(0, (area.width - widthOf(Math.min(columns, notes.length))) / 2)
  let { y } = area
  let lowest = y
  return readingOrder(notes).map((id, index) => {
    const column = index % columns
    if (column === 0 && index > 0) y = lowest + NOTE_GAP
    lowest = Math.max(lowest, y + (boxes.get(id)?.height ?? 0))
    return [id, rounded({ x: left + column * (NOTE_WIDTH + NOTE_GAP), y })] as const
  })
}

/** Returns the number of columns that fit a width, and more when the rows would become a long strip. */
function columnsFor(count: number, width: number): number {
  const square = count > MOST_FITTED ? Math.ceil(Math.sqrt(count)) : 0
  return Math.max(columnsIn({ width }, NOTE_WIDTH), square)
}

function widthOf(columns: number): number {
  return columns * (NOTE_WIDTH + NOTE_GAP) - NOTE_GAP
}

/** Returns the notes along one edge of the box around them, or along one of its middle lines. */
export function aligned(notes: Notes, edge: Edge): Places {
  const all = boxAround(notes.map(([, box]) => box))
  if (!all) return []
  return notes.map(([id, box]) => [id, rounded({ ...pointOf(box), ...alongEdge(box, all, edge) })] as const)
}

function alongEdge(box: Box, all: Box, edge: Edge): Partial<Point> {
  switch (edge) {
    case 'left':
      return { x: all.x }
    case 'centre':
      return { x: all.x + (all.width - box.width) / 2 }
    case 'right':
      return { x: all.x + all.width - box.width }
    case 'top':
      return { y: all.y }
    case 'middle':
      return { y: all.y + (all.height - box.height) / 2 }
    case 'bottom':
      return { y: all.y + all.height - box.height }
  }
}

/** Returns the notes with equal gaps between them. The first and the last stay where they are. */
export function distributed(notes: Notes, axis: Axis): Places {
  const [at, length] = axis === 'horizontal' ? (['x', 'width'] as const) : (['y', 'height'] as const)
  const sorted = notes.toSorted(([, a], [, b]) => a[at] - b[at])
  const [first] = sorted
  const last = sorted.at(-1)
  if (!first || !last) return []
  const taken = sorted.reduce((sum, [, box]) => sum + box[length], 0)
  const gap = (last[1][at] + last[1][length] - first[1][at] - taken) / Math.max(1, sorted.length - 1)
  let next = first[1][at]
  return sorted.map(([id, box]) => {
    const place = rounded({ ...pointOf(box), [at]: next })
    next += box[length] + gap
    return [id, place] as const
  })
}

function pointOf({ x, y }: Box): Point {
  return { x, y }
}

function rounded({ x, y }: Point): Point {
  return { x: Math.round(x), y: Math.round(y) }
}
