import { describe, expect, it } from 'vitest'
import { parseContent } from '../../protocol/item'
import { kindOf, mediaOf, nameOf } from './describe'

const file = (name: string, type: string) => parseContent({ file: { name, size: 1, type } }, 'file')

describe('an item', () => {
  it('is named by its kind and the beginning of its content', () => {
    expect(nameOf(parseContent('https://en.wikipedia.org/wiki/Heliograph', 'text'))).toBe(
      'Link, en.wikipedia.org',
    )
    expect(nameOf(parseContent('Dinner at eight\nbring the map', 'text'))).toBe('Text, Dinner at eight')
    expect(nameOf(parseContent('x'.repeat(60), 'text'))).toBe(`Text, ${'x'.repeat(40)}…`)
    expect(nameOf(file('choir.wav', 'audio/wav'))).toBe('Audio, choir.wav')
    expect(nameOf(parseContent({ title: 'Cabin weekend' }, 'lexi_note'))).toBe('Note, Cabin weekend')
    expect(nameOf(parseContent({ a: 1 }, 'lexi_note'))).toBe('Note, Untitled Note')
    expect(kindOf(parseContent({ a: 1 }, 'text'))).toBe('Text')
  })

  it('is shown by its first bytes, and not before they are known', () => {
    const png = { media: 'image', type: 'image/png' } as const
    expect(mediaOf(file('a.png', 'image/png'), png)).toBe('image')
    expect(mediaOf(file('a.bin', ''), png)).toBe('image')
    expect(mediaOf(file('a.png', 'image/png'), null)).toBeNull()
    expect(mediaOf(file('a.png', 'image/png'), undefined)).toBeNull()
    expect(mediaOf(parseContent('hi', 'text'), png)).toBeNull()
  })
})
