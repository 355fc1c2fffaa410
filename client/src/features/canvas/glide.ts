/** Lets notes glide to places that they were given at once. */
import type { ItemId } from '../../protocol/bindings'
import type { Point } from '../../stores/canvas'
import type { Board } from './board'
import { touches } from './geometry'

const GLIDE_MS = 320

/** @param from the places that the notes had */
export function glide(board: Board, from: Iterable<readonly [ItemId, Point]>, places: Places): void {
  if (board.prefersStill) return
  for (const [id, before] of from) {
    const now = places.get(id)
    const element = board.element(id)
    if (!now || !element?.animate || (now.x === before.x && now.y === before.y)) continue
    const isSeen = [before, now].some((at) => touches(board.boxOf(id, at), board.view))
    if (!isSeen) continue
    const shift = `${before.x - now.x}px ${before.y - now.y}px`
    element.animate([{ translate: shift }, { translate: '0 0' }], {
      duration: GLIDE_MS,
      easing: 'cubic-bezier(.2, .8, .2, 1)',
      // A note that is moved again on its way goes on from where it is seen.
      composite: 'add',
    })
  }
}

type Places = ReadonlyMap<ItemId, Point>
