import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { linkify } from './linkify'

const links = (text: string) => linkify(text).flatMap((part) => (part.kind === 'link' ? [part.text] : []))

describe('the addresses in a text', () => {
  it.each([
    ['see https://example.org/a?b=c#d now', ['https://example.org/a?b=c#d']],
    ['http://a.example and https://b.example', ['http://a.example', 'https://b.example']],
    ['mailto:ada@example.org', ['mailto:ada@example.org']],
    ['Look at https://example.org.', ['https://example.org']],
    ['(https://example.org/a)', ['https://example.org/a']],
    ['https://en.wikipedia.org/wiki/Mirror_(optics)!', ['https://en.wikipedia.org/wiki/Mirror_(optics)']],
    ['"https://example.org/a"', ['https://example.org/a']],
    ['HTTPS://EXAMPLE.ORG/A', ['HTTPS://EXAMPLE.ORG/A']],
  ])('%j', (text, found) => expect(links(text)).toEqual(found))

  it.each([
    'javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'file:///etc/passwd',
    'ftp://example.org',
    'https://',
    'mailto:nobody',
    'example.org',
    '12:30 and 9/11',
  ])('%j has none', (text) => expect(links(text)).toEqual([]))

  it('lose nothing of the text, and only lead to http, https and mailto', () => {
    const piece = fc.constantFrom(
      'https://a.example/',
      'mailto:a@b.c',
      'javascript:x',
      ' ',
      ').',
      '(',
      'x',
      '\n',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string())), (pieces) => {
        const text = pieces.join('')
        const parts = linkify(text)
        expect(parts.map((part) => part.text).join('')).toBe(text)
        for (const part of parts) if (part.kind === 'link') expect(part.href).toMatch(/^(https?|mailto):/)
      }),
    )
  })
})
