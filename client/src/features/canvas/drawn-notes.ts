/**
 * Which notes are elements that are drawn. A browser lays thousands of tilted boxes one by one on its compositor, in every
 * frame, wherever they are; so those near the view are drawn, and all of them only while they are few. Pure.
 */
import type { ItemId } from '../../protocol/bindings'
import { type Box, grown, touches } from './geometry'

/** How far outside of the view notes are drawn already, in pixels of the canvas. */
const AHEAD = 300
/** So many new ones a frame: each costs about a millisecond. */
const MOST_AT_ONCE = 4
/** More of them at once than this are shown as plates. */
export const MOST_DRAWN = 80

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
  notes: readonly (readonly [ItemId, Box])[],
  options: { atOnce: boolean; isBusy: (id: ItemId) => boolean },
): Drawing {
  const near = nearOf(view, notes)
  const wanted = near.size > MOST_DRAWN ? new Set<ItemId>() : near
  const rest = notes.length > MOST_DRAWN ? [] : notes.map(([id]) => id)
  const missing = [...new Set([...wanted, ...rest])].filter((id) => !before.has(id))
  const added = options.atOnce ? missing : missing.slice(0, MOST_AT_ONCE)
  if (added.length === 0) return { drawn: before, goesOn: false }
  const drawn = kept(before, near, added.length, options.isBusy)
  for (const id of added) drawn.add(id)
  return { drawn, goesOn: added.length < missing.length }
}

function nearOf(view: Box, notes: readonly (readonly [ItemId, Box])[]): Set<ItemId> {
  const area = grown(view, AHEAD)
  return new Set(notes.filter(([, box]) => touches(box, area)).map(([id]) => id))
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
