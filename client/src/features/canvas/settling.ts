/** Makes room for notes that grow, such as pictures that have loaded. */
import type { ItemId } from '../../protocol/bindings'
import type { Point } from '../../stores/canvas'
import { type Box, touches } from './geometry'
import { NOTE_GAP } from './placement'

type Notes = readonly (readonly [ItemId, Box])[]

/**
 * Returns the places of the notes that move down because a note has grown, so that the gap between them stays: notes are
 * tilted, and would cover each other without it. Only `loose` notes move, with their rows; nobody has put these where
 * they are. Beside a note that somebody has put close to them they stay.
 */
export function pushedDown(
  grown: ItemId,
  notes: ReadonlyMap<ItemId, Box>,
  loose: ReadonlySet<ItemId>,
): ReadonlyMap<ItemId, Point> {
  const moved = new Map<ItemId, Point>()
  const cause = notes.get(grown)
  if (!cause) return moved
  const others = [...notes].filter(([id]) => id !== grown)
  const still = others.filter(([id]) => !loose.has(id)).map(([, box]) => withGap(box, 0))
  const pushing = [withGap(cause, loose.has(grown) ? NOTE_GAP : 0)]
  // From the top, so that a row meets all that was pushed towards it.
  for (const row of rowsOf(others.filter(([id, { y }]) => loose.has(id) && y >= cause.y))) {
    const from = row[0]?.[1].y ?? 0
    let y = from
    for (let end = endAbove(row, y, pushing); end !== null; end = endAbove(row, y, [...pushing, ...still])) {
      y = end
    }
    if (y === from) continue
    for (const [id, box] of row) {
      moved.set(id, { x: box.x, y })
      pushing.push(withGap({ ...box, y }, NOTE_GAP))
    }
  }
  return moved
}

/** Returns notes by their upper edge, the highest first. */
function rowsOf(notes: Notes): Notes[] {
  const rows: (readonly [ItemId, Box])[][] = []
  for (const note of notes.toSorted(([, a], [, b]) => a.y - b.y)) {
    const row = rows.at(-1)
    if (row?.[0]?.[1].y === note[1].y) row.push(note)
    else rows.push([note])
  }
  return rows
}

/** Returns where the boxes end that a row would touch; null when there are none. */
function endAbove(row: Notes, y: number, boxes: readonly Box[]): number | null {
  const close = boxes.filter((box) => row.some(([, note]) => touches(box, { ...note, y })))
  return close.length === 0 ? null : Math.max(...close.map((box) => box.y + box.height))
}

/** Returns a box with the gap above and below it, and with as much beside it. */
function withGap({ x, y, width, height }: Box, beside: number): Box {
  return { x: x - beside, y: y - NOTE_GAP, width: width + 2 * beside, height: height + 2 * NOTE_GAP }
}
