/** Which notes are selected after a press or a frame, and which notes a command is about. Pure. */
import type { ItemId } from '../../protocol/bindings'
import { type Box, touches } from './geometry'

export type Selection = ReadonlySet<ItemId>

/** A press on a note, or on the ground. With Shift the note joins or leaves; `focused` joins what it begins. */
export function afterPress(
  selected: Selection,
  { note, shift, focused }: { note: ItemId | null; shift: boolean; focused: ItemId | null },
): Selection {
  if (note === null || !shift) return new Set()
  const next = new Set(selected.size === 0 && focused !== null && focused !== note ? [focused] : selected)
  if (!next.delete(note)) next.add(note)
  return next
}

/** What was selected before, and every note that the frame touches. */
export function afterFrame(
  before: Selection,
  frame: Box,
  notes: Iterable<readonly [ItemId, Box]>,
): Selection {
  const next = new Set(before)
  for (const [id, box] of notes) if (touches(box, frame)) next.add(id)
  return next
}

/** The notes that a key is about: the selection, unless the focus is on a note outside of it. */
export function aimedAt(selected: Selection, focused: ItemId | null): readonly ItemId[] {
  if (focused !== null && !selected.has(focused)) return [focused]
  return [...selected]
}

/** The notes that go along when one is dragged. */
export function draggedWith(selected: Selection, note: ItemId): readonly ItemId[] {
  return selected.has(note) ? [...selected] : [note]
}
