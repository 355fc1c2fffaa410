/**
 * Chooses the notes that are drawn as elements. The compositor of a browser handles each tilted box in every frame,
 * even outside of the window, so only the notes near the view are drawn when there are many.
 */
import type { ItemId } from '../../protocol/bindings'
import { type Box, grown, touches } from './geometry'

/** Notes are drawn from this distance outside of the view, in canvas pixels. */
const AHEAD = 300
/** New notes drawn per frame. Each costs about a millisecond. */
const MOST_AT_ONCE = 4
/** When more than this many are near the view, they are shown as plates. */
export const MOST_DRAWN = 80

export interface Drawing {
  /** In the order in which they were drawn, the earliest first. */
  readonly drawn: ReadonlySet<ItemId>
  /** The next frame has more to draw. */
  readonly goesOn: boolean
}

/** `busy`: notes that must stay, such as a playing recording. `atOnce`: draw all in the first frame. */
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

/** Returns the notes to keep. When there are too many, the earliest drawn of those far away are dropped. */
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
