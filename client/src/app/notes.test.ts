import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { EditorActions } from '../features/editor-actions'
import type { DeviceId, ItemId } from '../protocol/bindings'
import { copyableText, type Item, pendingItem, textMessage } from '../protocol/item'
import { versionOf } from '../protocol/note-versions'
import { EMPTY_ROOT, RICH_NOTE, richNoteMessage, withText } from '../protocol/rich-note'
import { reduceItems } from '../stores/items'
import { createStores, type Stores } from '../stores/stores'
import type { Context } from './context'
import { createNotes } from './notes'
import { createToaster } from './toaster'

const [FIRST, SECOND] = ['first', 'second'] as [ItemId, ItemId]

let stores: Stores
let notes: EditorActions
let isThere: boolean
let pictures: (DeviceId | undefined)[]

beforeEach(() => {
  isThere = true
  pictures = []
  stores = createStores()
  const live = { share: vi.fn() }
  const context = { stores, toaster: createToaster(stores.toasts), live: () => (isThere ? live : null) }
  notes = createNotes(context as unknown as Context, (_id, _file, to) => pictures.push(to))
  const items = [FIRST, SECOND].map((id) => {
    const { message, extra } = textMessage(`the ${id} text`)
    return pendingItem(id, message, extra, 0)
  })
  stores.items.setState({ items })
})

const PHONE = 'phone' as DeviceId
const receive = (id: ItemId, message: unknown, extra: string, to?: DeviceId) => {
  const item = pendingItem(id, message, extra, 0, to)
  stores.items.setState((state) => reduceItems(state, { type: 'received', item }), true)
}
const receiveText = (id: ItemId, text: string, to?: DeviceId) => receive(id, text, 'text', to)
const deleteItem = (id: ItemId) =>
  stores.items.setState((state) => reduceItems(state, { type: 'deleted', message: null, id }), true)
const note = (text: string) => ({ title: 'Packing', root: withText(EMPTY_ROOT, text), pictures: [] })
const receiveNote = (id: ItemId, text: string, base: string | null, to?: DeviceId) => {
  const { message, extra } = richNoteMessage('Packing', withText(EMPTY_ROOT, text), base)
  receive(id, message, extra, to)
}
/** The items that have come besides the two at the beginning. */
const added = (): readonly Item[] =>
  stores.items.getState().items.filter(({ id }) => id !== FIRST && id !== SECOND)
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
      question: 'none',
    })
    notes.typeText('  another text ')
    notes.saveText()
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
    notes.typeText('changed')
    notes.saveText()
    expect(editor()).toMatchObject({ kind: 'editing-text' })
    expect(textOf(FIRST)).toBe('the first text')
    expect(stores.toasts.getState().toasts).toHaveLength(1)
    isThere = true
    notes.typeText('x'.repeat(300_000))
    notes.saveText()
    expect(stores.toasts.getState().toasts.at(-1)?.text).toBe(
      'This text is too long. Shorten it, then save again.',
    )
  })

  it('changes nothing when it is emptied', () => {
    notes.edit(FIRST)
    notes.typeText(' ')
    notes.saveText()
    expect(textOf(FIRST)).toBe('the first text')
  })
})

it('a copy of a note has a mark in its title and stands beside it', () => {
  notes.create()
  expect(notes.saveCopy({ title: 'Packing', root: EMPTY_ROOT, pictures: [] })).toBeNull()
  const added = stores.items.getState().items.find(({ content }) => content.kind === RICH_NOTE)
  expect(added?.content).toMatchObject({ title: 'Packing (copy)' })
})

describe('a text that another device changes while its field is open', () => {
  it.each([
    ['the field is saved', () => notes.saveText()],
    ['another field is opened', () => notes.edit(SECOND)],
  ])('is asked about when %s', (_when, leave) => {
    notes.edit(FIRST)
    notes.typeText('mine')
    receiveText(FIRST, 'theirs')
    leave()
    expect(textOf(FIRST)).toBe('theirs')
    expect(editor()).toMatchObject({ id: FIRST, text: 'mine', question: 'changed' })
    notes.replaceText()
    expect(textOf(FIRST)).toBe('mine')
  })

  it('stays as it is when nothing was typed', () => {
    notes.edit(FIRST)
    receiveText(FIRST, 'theirs')
    notes.saveText()
    expect(textOf(FIRST)).toBe('theirs')
    expect(editor()).toEqual({ kind: 'closed' })
  })

  it('keeps its one reader when both versions are kept', () => {
    receiveText(FIRST, 'ours', PHONE)
    notes.edit(FIRST)
    notes.typeText('mine')
    receiveText(FIRST, 'theirs', PHONE)
    notes.saveText()
    notes.copyText()
    expect(added()).toMatchObject([{ message: 'mine', to: PHONE }])
  })
})

describe('a text that goes while its field is open', () => {
  it('closes the field in which nothing was typed', () => {
    notes.edit(FIRST)
    deleteItem(FIRST)
    expect(editor()).toEqual({ kind: 'closed' })
  })

  it('is not made again: what was typed is offered as a new text for the same device', () => {
    receiveText(FIRST, 'ours', PHONE)
    notes.edit(FIRST)
    notes.typeText('mine')
    deleteItem(FIRST)
    expect(editor()).toMatchObject({ question: 'gone' })
    notes.edit(SECOND)
    expect(editor()).toMatchObject({ id: FIRST, text: 'mine' })
    notes.copyText()
    expect(textOf(FIRST)).toBeUndefined()
    expect(added()).toMatchObject([{ message: 'mine', to: PHONE }])
  })

  it('leaves what was typed to a new note for the same device when the writing goes on', () => {
    receiveText(FIRST, 'ours', PHONE)
    notes.edit(FIRST)
    notes.typeText('mine')
    deleteItem(FIRST)
    notes.goOnWriting()
    expect(editor()).toEqual({ kind: 'creating', text: 'mine', to: PHONE })
    notes.save(note('mine'))
    expect(added()).toMatchObject([{ to: PHONE }])
  })
})

describe('a note for one device', () => {
  const picture = { id: 'picture' as ItemId, file: new File(['x'], 'a.png') }
  beforeEach(() => {
    receiveNote(FIRST, 'ours', null, PHONE)
    notes.edit(FIRST)
  })

  it('stays with that device as a copy, and so do the pictures', () => {
    notes.saveCopy({ ...note('mine'), pictures: [picture] })
    expect(added()).toMatchObject([{ to: PHONE }])
    expect(pictures).toEqual([PHONE])
  })

  it('stays with that device when it was deleted and is shared as a new one', () => {
    deleteItem(FIRST)
    notes.save({ ...note('mine'), pictures: [picture] })
    expect(textOf(FIRST)).toBeUndefined()
    expect(added()).toMatchObject([{ to: PHONE }])
    expect(pictures).toEqual([PHONE])
  })

  it('stays with that device when another version replaces it and both are kept', () => {
    const [before] = stores.items.getState().items.filter(({ id }) => id === FIRST)
    notes.save(note('mine'))
    receiveNote(FIRST, 'theirs', versionOf(before?.message), PHONE)
    stores.toasts.getState().toasts.at(-1)?.action?.run()
    expect(added()).toMatchObject([{ content: { title: 'Packing (copy)' }, to: PHONE }])
  })

  it('is not copied into another beam', () => {
    const [before] = stores.items.getState().items.filter(({ id }) => id === FIRST)
    notes.save(note('mine'))
    receiveNote(FIRST, 'theirs', versionOf(before?.message), PHONE)
    isThere = false
    stores.toasts.getState().toasts.at(-1)?.action?.run()
    expect(added()).toEqual([])
  })
})

describe('e12 what came in clear text keeps its mark', () => {
  const receiveClear = (message: unknown, extra: string) => {
    const item = { ...pendingItem(FIRST, message, extra, 0), isClear: true } as const
    stores.items.setState((state) => reduceItems(state, { type: 'received', item }), true)
  }
  const startsText = () => {
    receiveClear('ours', 'text')
    notes.edit(FIRST)
    notes.typeText('mine')
  }
  const startsNote = () => {
    const { message, extra } = richNoteMessage('Packing', withText(EMPTY_ROOT, 'ours'))
    receiveClear(message, extra)
    notes.edit(FIRST)
    return message
  }

  it('in a copy of a text that another device has changed', () => {
    startsText()
    receiveText(FIRST, 'theirs')
    notes.saveText()
    notes.copyText()
    expect(added()).toMatchObject([{ message: 'mine', isClear: true }])
  })

  it('in place of a text that has come sealed meanwhile', () => {
    startsText()
    receiveText(FIRST, 'theirs')
    notes.replaceText()
    expect(stores.items.getState().items).toContainEqual(
      expect.objectContaining({ id: FIRST, message: 'mine', isClear: true }),
    )
  })

  it('in a text that is shared as a new one, because it was deleted', () => {
    startsText()
    deleteItem(FIRST)
    notes.copyText()
    expect(added()).toMatchObject([{ message: 'mine', isClear: true }])
  })

  it('in a note as which the writing of such a text goes on', () => {
    startsText()
    deleteItem(FIRST)
    notes.goOnWriting()
    notes.save(note('mine'))
    expect(added()).toMatchObject([{ isClear: true }])
  })

  it.each([
    ['a copy of a note', () => notes.saveCopy(note('mine'))],
    [
      'a note that is shared as a new one, because it was deleted',
      () => {
        deleteItem(FIRST)
        notes.save(note('mine'))
      },
    ],
  ])('in %s', (_, saves) => {
    startsNote()
    saves()
    expect(added()).toMatchObject([{ isClear: true }])
  })

  it('in a note that another device has replaced, where both are kept', () => {
    const before = startsNote()
    notes.save(note('mine'))
    receiveNote(FIRST, 'theirs', versionOf(before))
    stores.toasts.getState().toasts.at(-1)?.action?.run()
    expect(added()).toMatchObject([{ content: { title: 'Packing (copy)' }, isClear: true }])
  })

  it('and nothing else gets one from it', () => {
    receiveNote(FIRST, 'ours', null)
    const [before] = stores.items.getState().items.filter(({ id }) => id === FIRST)
    notes.edit(FIRST)
    notes.save(note('mine'))
    const theirs = richNoteMessage('Packing', withText(EMPTY_ROOT, 'theirs'), versionOf(before?.message))
    receiveClear(theirs.message, theirs.extra)
    stores.toasts.getState().toasts.at(-1)?.action?.run()
    notes.create()
    notes.save(note('new'))
    expect(added().map(({ isClear }) => isClear)).toEqual([undefined, undefined])
  })
})
