import { describe, expect, it } from 'vitest'
import { parseContent } from '../../protocol/item'
import { kindOf, mediaOf, nameOf } from './describe'

const file = (name: string, type: string) => parseContent({ file: { name, size: 1, type } }, 'file')

describe('an item', () => {
  it('is named by its kind and what tells it from others', () => {
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

  it('is shown only where showing it is safe', () => {
    expect(mediaOf(file('a.png', 'image/png'))).toBe('image')
    expect(mediaOf(file('a.mp4', 'video/mp4'))).toBe('video')
    expect(mediaOf(file('a.svg', 'image/svg+xml'))).toBeNull()
    expect(mediaOf(file('a.html', 'text/html'))).toBeNull()
    expect(mediaOf(parseContent('hi', 'text'))).toBeNull()
  })
})
