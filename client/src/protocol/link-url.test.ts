import { describe, expect, it } from 'vitest'
import { linkUrl } from './link-url'

describe('the address of a link', () => {
  it.each([
    'http://example.org/a?b=c#d',
    'https://example.org',
    'mailto:ada@example.org',
    'sms:+4915112345',
    'tel:+49 151 12345',
  ])('stays with an allowed protocol: %s', (url) => expect(linkUrl(url)).toBe(url))

  it.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'java\u0000script:alert(1)',
    '\u0001javascript:alert(1)',
    '\u200bjavascript:alert(1)',
    'javascript://example.org/%0aalert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:msgbox(1)',
    'file:///etc/passwd',
    'blob:https://example.org/1',
    'ftp://example.org',
    'about:config',
    '',
    'two words',
  ])('is about:blank for anything else: %j', (url) => expect(linkUrl(url)).toBe('about:blank'))

  it.each([
    ['ada@example.org', 'mailto:ada@example.org'],
    ['+49 (151) 123-45', 'tel:+49 (151) 123-45'],
    ['12345', 'tel:12345'],
    ['1234', 'https://1234'],
    ['example.org/a', 'https://example.org/a'],
    ['example.org:8080/a', 'https://example.org:8080/a'],
    ['localhost:8080', 'https://localhost:8080'],
    ['//example.org', 'https://example.org'],
    ['example.org/@ada', 'https://example.org/@ada'],
  ])('is completed without a scheme: %s', (typed, url) => expect(linkUrl(typed)).toBe(url))
})
