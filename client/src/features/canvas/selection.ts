/** The selection after a press or a frame, and the notes that a command affects. */
import type { ItemId } from '../../protocol/bindings'
import { cardsOf } from '../../stores/cards'
import { isSetAside } from '../../stores/search'
import type { Stores } from '../../stores/stores'
import { type Box, touches } from './geometry'

export type Selection = ReadonlySet<ItemId>

/** After a press on a note or the ground. Shift adds or removes the note; a new selection then includes `focused`. */
export function afterPress(
  selected: Selection,
  { note, shift, focused }: { note: ItemId | null; shift: boolean; focused: ItemId | null },
): Selection {
  if (note === null || !shift) return new Set()
  const next = new Set(selected.size === 0 && focused !== null && focused !== note ? [focused] : selected)
  if (!next.delete(note)) next.add(note)
  return next
}

/** After a frame: the earlier selection and every note that the frame touches. */
export function afterFrame(
  before: Selection,
  frame: Box,
  notes: Iterable<readonly [ItemId, Box]>,
): Selection {
  const next = new Set(before)
  for (const [id, box] of notes) if (touches(box, frame)) next.add(id)
  return next
}

/** Returns the notes that a key affects: the selection, unless the focus is on a note outside of it. */
export function aimedAt(selected: Selection, focused: ItemId | null): readonly ItemId[] {
  if (focused !== null && !selected.has(focused)) return [focused]
  return [...selected]
}

/** Returns the notes that are selected with all others. A search leaves out what it sets aside. */
export function selectable({ items, search }: Pick<Stores, 'items' | 'search'>): readonly ItemId[] {
  const state = search.getState()
  return cardsOf(items.getState().items).flatMap(({ id }) => (isSetAside(state, id) ? [] : [id]))
}

/** Returns the notes that move when one is dragged. */
export function draggedWith(selected: Selection, note: ItemId): readonly ItemId[] {
  return selected.has(note) ? [...selected] : [note]
}
