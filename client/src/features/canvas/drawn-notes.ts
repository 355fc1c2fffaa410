/** Which notes are drawn whole: those near the view, and some that were. The others stay plates. Pure. */
import type { ItemId } from '../../protocol/bindings'
import { type Box, grown, touches } from './geometry'

/** How far outside of the view notes are drawn already, in pixels of the canvas. */
const AHEAD = 300
/** So many new ones a frame: each costs about a millisecond. */
const MOST_AT_ONCE = 6
/** So many stay drawn; a view with more of them at once shows them as plates. */
export const MOST_DRAWN = 240

export interface Drawing {
  /** Those drawn longest ago first. */
  readonly drawn: ReadonlySet<ItemId>
  /** There is more to draw, in the next frame. */
  readonly goesOn: boolean
}

/** `busy`: what must not be taken away, such as a recording that plays. `atOnce`: the first picture comes whole. */
export function draw(
  before: ReadonlySet<ItemId>,
  view: Box,
  notes: Iterable<readonly [ItemId, Box]>,
  options: { atOnce: boolean; isBusy: (id: ItemId) => boolean },
): Drawing {
  const near = grown(view, AHEAD)
  const wanted = [...notes].filter(([, box]) => touches(box, near)).map(([id]) => id)
  const missing = wanted.length > MOST_DRAWN ? [] : wanted.filter((id) => !before.has(id))
  const added = options.atOnce ? missing : missing.slice(0, MOST_AT_ONCE)
  if (added.length === 0) return { drawn: before, goesOn: false }
  const drawn = kept(before, new Set([...wanted, ...added]), added.length, options.isBusy)
  for (const id of added) drawn.add(id)
  return { drawn, goesOn: added.length < missing.length }
}

/** What stays: of what is far away only as many as there is room for, those drawn last. */
function kept(
  before: ReadonlySet<ItemId>,
  near: ReadonlySet<ItemId>,
  coming: number,
  isBusy: (id: ItemId) => boolean,
): Set<ItemId> {
  let tooMany = before.size + coming - MOST_DRAWN
  const drawn = new Set<ItemId>()
  for (const id of before) {
    if (tooMany > 0 && !near.has(id) && !isBusy(id)) tooMany -= 1
    else drawn.add(id)
  }
  return drawn
}
