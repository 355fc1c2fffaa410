import { describe, expect, it } from 'vitest'
import type { ItemId } from '../../protocol/bindings'
import { fileItemMessage, pendingItem, textMessage } from '../../protocol/item'
import { EMPTY_ROOT, richNoteMessage, withText } from '../../protocol/rich-note'
import type { SearchKind } from '../../stores/search'
import { matching } from './matching'

const item = (id: string, { message, extra }: { message: unknown; extra: string }) =>
  pendingItem(id as ItemId, message, extra, 0)
const ITEMS = [
  item('text', textMessage('The door code of the Café')),
  item('link', textMessage('https://example.org/cabin')),
  item('picture', fileItemMessage({ name: 'Lake at dawn.jpg', size: 1, type: 'image/jpeg' })),
  item('video', fileItemMessage({ name: 'lake.mp4', size: 1, type: 'video/mp4' })),
  item('note', richNoteMessage('Cabin weekend', withText(EMPTY_ROOT, 'Bring torches'))),
]

const found = (text: string, kind: SearchKind | null = null) => {
  const set = matching(ITEMS, { text, kind }, ({ id }) => (id === 'text' ? 'Firefox on Linux' : 'iPhone'))
  return set && [...set]
}

describe('looking for items', () => {
  it.each([
    ['the words of a text, without case and accents', 'cafe DOOR', ['text']],
    ['an address', 'example.org', ['link']],
    ['a file name', 'dawn', ['picture']],
    ['the title and the content of a note', 'cabin torch', ['note']],
    ['a kind', 'video', ['video']],
    ['the device that shared it', 'firefox', ['text']],
    ['words of which one is missing', 'lake nowhere', []],
    ['words as they were typed before those in another order', 'code of the', ['text']],
    ['only items with the whole phrase, where there are such', 'lake at', ['picture']],
    ['all with the words, where none has the phrase', 'dawn lake', ['picture']],
  ])('finds %s', (_what, text, expected) => {
    expect(found(text)).toEqual(expected)
  })

  it('is not on while neither a word nor a kind is given', () => {
    expect(found('  ')).toBeNull()
  })

  it('filters by kind, alone and with words', () => {
    expect(found('', 'picture')).toEqual(['picture'])
    expect(found('', 'file')).toEqual(['video'])
    expect(found('cabin', 'link')).toEqual(['link'])
  })
})
