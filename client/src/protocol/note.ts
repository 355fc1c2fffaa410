/** Notes of a saved beam as items: what the notes call answers stands among what came live. */
import type { Note } from './bindings'
import { type Item, parseContent } from './item'

const UNTITLED = 'Untitled Note'

/** A stored note as an item. Without content its title is shown, and without a title that it has none. */
export function noteItem({ id, content, title, note_type, seq, from, created_at, mine }: Note): Item {
  const isBlank = content === null || content === undefined || content === ''
  return {
    id,
    seq,
    from,
    at: created_at,
    message: content,
    extra: note_type,
    content: parseContent(isBlank ? (title ?? UNTITLED) : content, note_type),
    note: { mine },
  }
}
