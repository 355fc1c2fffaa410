import { describe, expect, it } from 'vitest'
import type { DeviceId, ItemId, Note } from './bindings'
import { noteItem } from './note'

const note: Note = {
  id: 'n' as ItemId,
  content: 'Milk',
  title: null,
  json_content: null,
  note_type: 'text',
  seq: 4,
  from: 'd' as DeviceId,
  created_at: 7,
  mine: true,
}

describe('a stored note', () => {
  it('is an item of its type that says whose it is', () => {
    expect(noteItem(note)).toEqual({
      id: 'n',
      seq: 4,
      from: 'd',
      at: 7,
      message: 'Milk',
      extra: 'text',
      content: { kind: 'text', text: 'Milk' },
      note: { mine: true },
    })
  })

  it.each([
    ['its title', 'Shopping', 'Shopping'],
    ['that it has none', null, 'Untitled Note'],
  ])('shows without content %s', (_what, title, text) => {
    expect(noteItem({ ...note, content: '', title }).content).toEqual({ kind: 'text', text })
  })
})
