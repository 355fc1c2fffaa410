/** The zoom of a picture in the full view. Points are CSS px from the middle of the stage. */
import type { Point } from '../../stores/canvas'

export interface Size {
  readonly width: number
  readonly height: number
}

/** `scale`: CSS px for each px of the picture. `x` and `y`: the middle of the picture. */
export interface Zoom extends Point {
  readonly scale: number
}

/** The picture and the stage that it is shown on. */
export interface Scene {
  readonly picture: Size
  readonly stage: Size
}

const MOST_SCALE = 8
/** Double tap on a picture that is not larger than the stage. */
const TAP_FACTOR = 2.5

/** Shows the whole picture, at most in its own size. */
export function fitScale({ picture, stage }: Scene): number {
  return Math.min(1, stage.width / picture.width, stage.height / picture.height)
}

export function fitted(scene: Scene): Zoom {
  return { scale: fitScale(scene), x: 0, y: 0 }
}

export function isFitted({ scale }: Zoom, scene: Scene): boolean {
  return scale <= fitScale(scene) * 1.001
}

/** Changes the scale. The point of the picture under `at` stays there. */
export function scaled(zoom: Zoom, scale: number, at: Point, scene: Scene): Zoom {
  const next = Math.min(MOST_SCALE, Math.max(fitScale(scene), scale))
  const factor = next / zoom.scale
  return inside(
    { scale: next, x: at.x + (zoom.x - at.x) * factor, y: at.y + (zoom.y - at.y) * factor },
    scene,
  )
}

export function panned(zoom: Zoom, by: Point, scene: Scene): Zoom {
  return inside({ ...zoom, x: zoom.x + by.x, y: zoom.y + by.y }, scene)
}

/** A double tap: from the whole picture to its own size, or larger when that is no difference; and back. */
export function toggled(zoom: Zoom, at: Point, scene: Scene): Zoom {
  if (!isFitted(zoom, scene)) return fitted(scene)
  const fit = fitScale(scene)
  return scaled(zoom, Math.max(1, fit * TAP_FACTOR), at, scene)
}

/** No gap between an edge of the stage and the picture's; a picture smaller than the stage is in its middle. */
function inside(zoom: Zoom, { picture, stage }: Scene): Zoom {
  const limit = (at: number, length: number, room: number) => {
    const spare = Math.max(0, (length * zoom.scale - room) / 2)
    return Math.min(spare, Math.max(-spare, at))
  }
  return {
    scale: zoom.scale,
    x: limit(zoom.x, picture.width, stage.width),
    y: limit(zoom.y, picture.height, stage.height),
  }
}
