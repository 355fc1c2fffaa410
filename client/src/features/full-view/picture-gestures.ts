/** What fingers and the mouse do on a picture, without a browser: told of pointers, says what is meant. */
import type { Point } from '../../stores/canvas'

export type Meant =
  | { readonly do: 'nothing' }
  | { readonly do: 'pan'; readonly by: Point }
  | { readonly do: 'pinch'; readonly factor: number; readonly at: Point; readonly by: Point }
  | { readonly do: 'toggle'; readonly at: Point }
  /** 1: to the next picture. */
  | { readonly do: 'step'; readonly by: 1 | -1 }

const NOTHING: Meant = { do: 'nothing' }
/** Farther is a drag and no tap, in CSS px. */
const TAP_PX = 10
const DOUBLE_TAP_MS = 300
const DOUBLE_TAP_PX = 30
const SWIPE_PX = 50

export class PictureGestures {
  readonly #pointers = new Map<number, Point>()
  #start: Point | null = null
  #lastTap: { readonly at: Point; readonly time: number } | null = null

  down(pointer: number, at: Point): void {
    this.#pointers.set(pointer, at)
    // A second finger makes it a pinch until all fingers are up.
    this.#start = this.#pointers.size === 1 ? at : null
  }

  move(pointer: number, at: Point): Meant {
    const before = this.#pointers.get(pointer)
    if (!before) return NOTHING
    const other = [...this.#pointers].find(([id]) => id !== pointer)?.[1]
    this.#pointers.set(pointer, at)
    if (!other) return { do: 'pan', by: minus(at, before) }
    const middle = between(at, other)
    const factor = distance(at, other) / Math.max(1, distance(before, other))
    return { do: 'pinch', factor, at: middle, by: minus(middle, between(before, other)) }
  }

  /** @param swipes whether a drag sideways steps, because there is nothing to pan */
  up(pointer: number, at: Point, time: number, swipes: boolean): Meant {
    const start = this.#start
    if (!this.#pointers.delete(pointer) || !start) return NOTHING
    this.#start = null
    const by = minus(at, start)
    if (distance(at, start) < TAP_PX) return this.#tap(at, time)
    const isSideways = Math.abs(by.x) >= SWIPE_PX && Math.abs(by.x) > 2 * Math.abs(by.y)
    return swipes && isSideways ? { do: 'step', by: by.x < 0 ? 1 : -1 } : NOTHING
  }

  cancel(pointer: number): void {
    this.#pointers.delete(pointer)
    this.#start = null
  }

  #tap(at: Point, time: number): Meant {
    const last = this.#lastTap
    const isSecond = last && time - last.time < DOUBLE_TAP_MS && distance(at, last.at) < DOUBLE_TAP_PX
    this.#lastTap = isSecond ? null : { at, time }
    return isSecond ? { do: 'toggle', at } : NOTHING
  }
}

function minus(a: Point, b: Point): Point {
  return { x: a.x - b.x, y: a.y - b.y }
}

function between(a: Point, b: Point): Point {
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y)
}
