/** The note that lies next to another in a direction. */
import type { ItemId } from '../../protocol/bindings'
import type { Point } from '../../stores/canvas'
import { type Box, middle, minus } from './geometry'

/** A step of one to the left, right, up or down. */
export type Direction = Point

/** How much more a note counts as distant by being aside than by being far ahead. */
const ASIDE = 2

/** Returns the nearest note ahead; undefined when there is none. */
export function neighbour(
  from: Box,
  direction: Direction,
  notes: readonly (readonly [ItemId, Box])[],
): ItemId | undefined {
  let best: { id: ItemId; distance: number } | undefined
  for (const [id, box] of notes) {
    const way = minus(middle(box), middle(from))
    const ahead = way.x * direction.x + way.y * direction.y
    const aside = Math.abs(way.x * direction.y) + Math.abs(way.y * direction.x)
    // Notes that lie more aside than ahead are reached by the other arrows.
    if (ahead <= 0 || aside > ASIDE * ahead) continue
    const distance = ahead + ASIDE * aside
    if (!best || distance < best.distance) best = { id, distance }
  }
  return best?.id
}
