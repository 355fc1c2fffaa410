import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { EditorActions } from '../features/editor-actions'
import type { ItemId } from '../protocol/bindings'
import { copyableText, pendingItem, textMessage } from '../protocol/item'
import { EMPTY_ROOT, RICH_NOTE } from '../protocol/rich-note'
import { createStores, type Stores } from '../stores/stores'
import type { Context } from './context'
import { createNotes } from './notes'
import { createToaster } from './toaster'

const [FIRST, SECOND] = ['first', 'second'] as [ItemId, ItemId]

let stores: Stores
let notes: EditorActions
let isThere: boolean

beforeEach(() => {
  isThere = true
  stores = createStores()
  const live = { share: vi.fn() }
  const context = { stores, toaster: createToaster(stores.toasts), live: () => (isThere ? live : null) }
  notes = createNotes(context as unknown as Context, () => {})
  const items = [FIRST, SECOND].map((id) => {
    const { message, extra } = textMessage(`the ${id} text`)
    return pendingItem(id, message, extra, 0)
  })
  stores.items.setState({ items })
})

const textOf = (id: ItemId) => {
  const item = stores.items.getState().items.find((one) => one.id === id)
  return item && copyableText(item.content)
}
const editor = () => stores.editor.getState()

describe('the field of a text', () => {
  it('begins with the text, and changes it under its id', () => {
    notes.edit(FIRST)
    expect(editor()).toEqual({
      kind: 'editing-text',
      id: FIRST,
      text: 'the first text',
      opened: 'the first text',
    })
    notes.saveText(FIRST, '  another text ')
    expect(textOf(FIRST)).toBe('another text')
    expect(stores.items.getState().items).toHaveLength(2)
    expect(editor()).toEqual({ kind: 'closed' })
  })

  it('is saved before another one opens', () => {
    notes.edit(FIRST)
    notes.typeText('half done')
    notes.edit(SECOND)
    expect(textOf(FIRST)).toBe('half done')
    expect(editor()).toMatchObject({ kind: 'editing-text', id: SECOND })
  })

  it('stays open with what was typed when it cannot be shared', () => {
    notes.edit(FIRST)
    isThere = false
    notes.saveText(FIRST, 'changed')
    expect(editor()).toMatchObject({ kind: 'editing-text' })
    expect(textOf(FIRST)).toBe('the first text')
    expect(stores.toasts.getState().toasts).toHaveLength(1)
    isThere = true
    notes.saveText(FIRST, 'x'.repeat(300_000))
    expect(stores.toasts.getState().toasts.at(-1)?.text).toBe(
      'This text is too long. Shorten it, then save again.',
    )
  })

  it('changes nothing when it is emptied', () => {
    notes.edit(FIRST)
    notes.saveText(FIRST, ' ')
    expect(textOf(FIRST)).toBe('the first text')
  })
})

it('a copy of a note has a mark in its title and stands beside it', () => {
  notes.create()
  expect(notes.saveCopy({ title: 'Packing', root: EMPTY_ROOT, pictures: [] })).toBeNull()
  const added = stores.items.getState().items.find(({ content }) => content.kind === RICH_NOTE)
  expect(added?.content).toMatchObject({ title: 'Packing (copy)' })
})
