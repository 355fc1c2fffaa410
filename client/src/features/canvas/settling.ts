/** Makes room for notes that grow, such as pictures that have loaded. */
import type { ItemId } from '../../protocol/bindings'
import type { Point } from '../../stores/canvas'
import { type Box, touches } from './geometry'
import { NOTE_GAP } from './placement'

/**
 * Returns the places of the notes that move down because a note has grown. Only `loose` notes move, with their rows;
 * nobody has put these where they are.
 */
export function pushedDown(
  grown: ItemId,
  notes: ReadonlyMap<ItemId, Box>,
  loose: ReadonlySet<ItemId>,
): ReadonlyMap<ItemId, Point> {
  const boxes = new Map(notes)
  const moved = new Map<ItemId, Point>()
  const waiting = [grown]
  for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
    for (let y = coveredRow(id, boxes, loose); y !== null; y = coveredRow(id, boxes, loose)) {
      const lowered = loweredRow(y, id, boxes, loose)
      for (const [one, box] of lowered) {
        boxes.set(one, box)
        moved.set(one, { x: box.x, y: box.y })
        waiting.push(one)
      }
    }
  }
  return moved
}

type Boxes = ReadonlyMap<ItemId, Box>

/** Returns the upper edge of a row that a note covers; null when it covers none. */
function coveredRow(id: ItemId, boxes: Boxes, loose: ReadonlySet<ItemId>): number | null {
  const above = boxes.get(id)
  if (!above) return null
  for (const [other, box] of boxes) {
    if (other !== id && loose.has(other) && box.y >= above.y && touches(above, box)) return box.y
  }
  return null
}

/** Returns the notes of a row, moved below a note. */
function loweredRow(y: number, above: ItemId, boxes: Boxes, loose: ReadonlySet<ItemId>) {
  const edge = boxes.get(above)
  const down = edge ? edge.y + edge.height + NOTE_GAP - y : 0
  const row = [...boxes].filter(([id, box]) => id !== above && loose.has(id) && box.y === y)
  return row.map(([id, box]) => [id, { ...box, y: y + down }] as const)
}
