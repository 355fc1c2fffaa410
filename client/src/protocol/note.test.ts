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

describe('a stored rich note', () => {
  const content = { title: 'Shopping', content: { root: { type: 'root', children: [] } } }
  const rich = { ...note, note_type: 'lexi_note', content }
  const shown = { kind: 'lexi_note', title: 'Shopping', root: { type: 'root', children: [] } }

  it('is what the server took out of its content', () => {
    const taken = { ...rich, content: null, title: 'Shopping', json_content: content.content }
    expect(noteItem(taken).content).toMatchObject(shown)
  })

  it('is its content when that is JSON text, which the server leaves whole', () => {
    expect(noteItem({ ...rich, content: JSON.stringify(content) }).content).toMatchObject(shown)
  })

  it('keeps the message by which it is deleted', () => {
    expect(noteItem({ ...rich, title: 'Shopping', json_content: content.content }).message).toBe(content)
  })
})
