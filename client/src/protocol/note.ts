/** Converts the stored notes of a saved beam (H30) to items, so that they are shown with the live ones. */
import type { Note } from './bindings'
import { type Item, parseContent } from './item'
import { RICH_NOTE, untitledNote } from './rich-note'

/** Converts a stored note to an item. A note without content shows its title, or that it has none. */
export function noteItem({
  id,
  content,
  title,
  json_content,
  note_type,
  seq,
  from,
  created_at,
  mine,
}: Note): Item {
  return {
    id,
    seq,
    from,
    at: created_at,
    message: content,
    extra: note_type,
    content: parseContent(shown({ content, title, json_content, note_type }), note_type),
    note: { mine },
  }
}

function shown(note: Pick<Note, 'content' | 'title' | 'json_content' | 'note_type'>): unknown {
  const { content, title, json_content, note_type } = note
  const isBlank = content === null || content === undefined || content === ''
  // Whether the server has split the content into title and state. It leaves a content that is text whole.
  const isTaken = isBlank || title !== null || (json_content !== null && json_content !== undefined)
  if (note_type === RICH_NOTE && isTaken) return { title, content: json_content }
  return isBlank ? (title ?? untitledNote()) : content
}
