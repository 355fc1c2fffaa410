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

  const hrefs = (text: string) => linkify(text).flatMap((part) => (part.kind === 'link' ? [part.href] : []))

  it.each([
    ['write to jonas@example.org.', ['mailto:jonas@example.org']],
    [
      'Jonas <jonas.o-b+x@mail.example.org>, or a@b.ch',
      ['mailto:jonas.o-b+x@mail.example.org', 'mailto:a@b.ch'],
    ],
    ['+41 44 668 18 00', ['tel:+41446681800']],
    ['Call +41 (0)44 668-18-00, please', ['tel:+41446681800']],
    ['+493012345678', ['tel:+493012345678']],
    ['(555) 123-4567', ['tel:5551234567']],
    ['Tel. 044 668 18 00', ['tel:0446681800']],
    ['Phone: 555-123-4567', ['tel:5551234567']],
    ['call me 030 1234567 or mobile 0170 1234567', ['tel:0301234567', 'tel:01701234567']],
    ['https://a.example/+41446681800?x=a@b.ch', ['https://a.example/+41446681800?x=a@b.ch']],
  ])('a mailbox or a phone: %j', (text, found) => expect(hrefs(text)).toEqual(found))

  it.each([
    'a@b',
    'ada@',
    '@ada@example.org',
    'git@github.com:ada/a.git'.replace('.com', ''),
    '2026-11-22',
    '22-11-2026 12 30',
    '22.11.2026',
    '2026-11-22 10:00',
    'Order 4711-0815-2342',
    'order no. 123-456-7890',
    '0800 123 456 789',
    'ISBN 978-3-16-148410-0, 0-306-40615-2',
    'IBAN CH93 0076 2011 6238 5295 7',
    '192.168.100.200',
    '1 234 567 890',
    '1.234.567,89',
    'UTC +0200',
    '+12345',
    '12 +3456',
    '5b1f4a52-7d0e-4c3b-9a41-2f6d8e0c7b13',
    '4111 1111 1111 1111',
    'Train 09:32, track 7, seats 61-63',
    'Tel Aviv 2026-11-22',
    '(2026) 11-22',
    '10 - 20 - 30 - 40',
  ])('neither a mailbox nor a phone: %j', (text) => expect(hrefs(text)).toEqual([]))

  it('lose nothing of the text, and only lead to http, https, mailto and tel', () => {
    const piece = fc.constantFrom(
      'https://a.example/',
      'mailto:a@b.c',
      'a@b.ch',
      '+41 44 668 18 00',
      'Tel. ',
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
        for (const part of parts) if (part.kind === 'link') expect(part.href).toMatch(/^(https?|mailto|tel):/)
      }),
    )
  })
})
