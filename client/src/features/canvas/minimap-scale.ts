/** The scale of the minimap: the canvas at one fiftieth, around the middle of the view. */
import type { Camera, Point } from '../../stores/canvas'
import { visibleBox } from './camera'
import { type Box, middle, type Size } from './geometry'

export const MAP: Size = { width: 128, height: 96 }
export const MAP_SCALE = 1 / 50

/** Returns the canvas point at the upper left corner of the map, with the view in the middle of the map. */
export function mapOrigin(camera: Camera, screen: Size): Point {
  const { x, y } = middle(visibleBox(camera, screen))
  return { x: x - MAP.width / MAP_SCALE / 2, y: y - MAP.height / MAP_SCALE / 2 }
}

export function onMap({ x, y, width, height }: Box, origin: Point): Box {
  return {
    x: (x - origin.x) * MAP_SCALE,
    y: (y - origin.y) * MAP_SCALE,
    width: width * MAP_SCALE,
    height: height * MAP_SCALE,
  }
}

/** Returns the canvas point at a point of the map. */
export function fromMap(at: Point, origin: Point): Point {
  return { x: origin.x + at.x / MAP_SCALE, y: origin.y + at.y / MAP_SCALE }
}
