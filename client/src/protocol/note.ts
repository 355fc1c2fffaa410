/** Notes of a saved beam as items: what the notes call answers stands among what came live. */
import type { Note } from './bindings'
import { type Item, parseContent } from './item'
import { RICH_NOTE, UNTITLED } from './rich-note'

/** A stored note as an item. Without content its title is shown, and without a title that it has none. */
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
  // What the server took out of the content; a content that is text it has left whole.
  const isTaken = isBlank || title !== null || (json_content !== null && json_content !== undefined)
  if (note_type === RICH_NOTE && isTaken) return { title, content: json_content }
  return isBlank ? (title ?? UNTITLED) : content
}
