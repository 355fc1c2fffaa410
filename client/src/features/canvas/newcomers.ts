/** New notes outside of the view: which are still announced, and where the pointer to them is. */
import type { ItemId } from '../../protocol/bindings'
import type { Point } from '../../stores/canvas'
import type { Insets } from './camera'
import { type Box, middle, minus, type Size, touches } from './geometry'

/** Returns the new notes that still exist and were not shown yet. */
export function stillUnseen(
  ids: ReadonlySet<ItemId>,
  view: Box,
  boxOf: (id: ItemId) => Box | undefined,
): ReadonlySet<ItemId> {
  const left = [...ids].filter((id) => {
    const box = boxOf(id)
    return box !== undefined && !touches(box, view)
  })
  return left.length === ids.size ? ids : new Set(left)
}

/** Returns the box that is nearest to the middle of the view. */
export function nearest<T extends Box>(boxes: readonly T[], view: Box): T | undefined {
  const centre = middle(view)
  const distance = (box: Box) => {
    const way = minus(middle(box), centre)
    return Math.hypot(way.x, way.y)
  }
  return boxes.reduce<T | undefined>(
    (best, box) => (best && distance(best) <= distance(box) ? best : box),
    undefined,
  )
}

export interface Pointer extends Point {
  /** In degrees, clockwise from the right. */
  readonly angle: number
}

/**
 * Returns where on the screen the pointer to a target outside is: on the line from the middle to it, between the bars.
 */
export function pointerTo(target: Point, screen: Size, insets: Insets): Pointer {
  const inner = {
    x: insets.left,
    y: insets.top,
    width: Math.max(0, screen.width - insets.left - insets.right),
    height: Math.max(0, screen.height - insets.top - insets.bottom),
  }
  const centre = middle(inner)
  const way = minus(target, centre)
  const reach = Math.min(
    way.x === 0 ? Infinity : inner.width / 2 / Math.abs(way.x),
    way.y === 0 ? Infinity : inner.height / 2 / Math.abs(way.y),
    1,
  )
  return {
    x: centre.x + way.x * reach,
    y: centre.y + way.y * reach,
    angle: (Math.atan2(way.y, way.x) * 180) / Math.PI,
  }
}
