import { describe, expect, it } from 'vitest'
import { displayName, fileCategory, fileItemMessage, parseContent, storedItemMessage } from './item'
import { equalJson } from './json'

describe('a shared item', () => {
  it('f1_a_file_comes_back_as_it_was_described', () => {
    const { message, extra } = fileItemMessage({ name: 'a.png', size: 7, type: 'image/png' })
    expect(extra).toBe('image')
    expect(parseContent(message, extra)).toEqual({
      kind: 'file',
      category: 'image',
      name: 'a.png',
      size: 7,
      type: 'image/png',
      url: null,
    })
  })

  it('f9_has_the_address_of_its_stored_copy_and_no_other', () => {
    const stored = { name: 'a.png', size: 7, type: 'image/png', url: '/api/uploads/0123456789abcdef0123' }
    const { message, extra } = storedItemMessage(stored)
    expect(parseContent(message, extra)).toMatchObject({ kind: 'file', url: stored.url })
    for (const url of [
      'https://evil.example/api/uploads/0123456789abcdef0123',
      '//evil.example/x',
      '/api/uploads/../auth/logout/',
      '/api/uploads/0123456789abcdef0123/../../me',
      'javascript:alert(1)',
      7,
    ]) {
      expect(parseContent({ file: { ...stored, url } }, extra)).toMatchObject({ kind: 'file', url: null })
    }
  })

  it('is a link only when it is one address and nothing else', () => {
    expect(parseContent(' https://en.wikipedia.org/wiki/Heliograph ', 'text')).toMatchObject({
      kind: 'link',
      host: 'en.wikipedia.org',
      path: '/wiki/Heliograph',
    })
    expect(parseContent('see https://a.example', 'text').kind).toBe('text')
    expect(parseContent('javascript:alert(1)', 'text').kind).toBe('text')
  })

  it.each([
    [{ file: { name: 'x', size: -1, type: '' } }],
    [{ file: { name: 'x', size: 1.5, type: '' } }],
    [null],
    [7],
  ])('is shown as text when nobody knows it: %j', (message) =>
    expect(parseContent(message, 'file').kind).toBe('unknown'),
  )

  it('has a name without deceptive characters or a path', () => {
    expect(displayName('../../etc/passwd')).toBe('__.._etc_passwd')
    expect(displayName('gpj.\u202eexe')).toBe('gpj._exe')
    expect(displayName('\u0000')).toBe('_')
    expect(displayName('a\u2066b\u200bc\ufeffd.png')).toBe('a_b_c_d.png')
    expect(displayName('Zoë 👩‍🚀.png')).toBe('Zoë 👩‍🚀.png')
    expect(displayName('  ')).toBe('file')
    expect(displayName('x'.repeat(4096))).toHaveLength(255)
  })

  it('has the category of the first part of its media type', () => {
    expect(['image/png', 'audio/x', 'video/mp4', 'application/zip', ''].map(fileCategory)).toEqual([
      'image',
      'audio',
      'video',
      'file',
      'file',
    ])
  })
})

describe('equal JSON values', () => {
  it('do not depend on the order of members', () => {
    expect(equalJson({ a: 1, b: [null, 'x'] }, { b: [null, 'x'], a: 1 })).toBe(true)
    expect(equalJson({ a: 1 }, { a: 1, b: undefined })).toBe(false)
    expect(equalJson([1], { 0: 1 })).toBe(false)
    expect(equalJson('1', 1)).toBe(false)
  })
})
