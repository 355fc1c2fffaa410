import { describe, expect, it } from 'vitest'
import type { ItemId } from './bindings'
import { fileCategory, fileItemMessage, parseContent, storedItemMessage } from './item'
import { equalJson } from './json'
import { displayName } from './names'

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

  it('f1_a_file_says_when_it_was_changed_last_where_that_can_be', () => {
    const facts = { name: 'a', size: 7, type: '' }
    const { message, extra } = fileItemMessage({ ...facts, modified: 1_700_000_000_000 })
    expect(parseContent(message, extra)).toMatchObject({ modified: 1_700_000_000_000 })
    for (const modified of [-1, 0.5, 1e300, '2023', null]) {
      expect(parseContent({ file: { ...facts, modified } }, 'file')).not.toHaveProperty('modified')
    }
  })

  it('f14_a_file_says_which_batch_it_is_of', () => {
    const batch = { id: '5b1f4a52-7d0e-4c3b-9a41-2f6d8e0c7b13' as ItemId, count: 9, index: 8 }
    const file = { name: 'a.png', size: 7, type: 'image/png', batch }
    const url = '/api/uploads/0123456789abcdef0123'
    for (const { message, extra } of [fileItemMessage(file), storedItemMessage({ ...file, url })]) {
      expect(parseContent(message, extra)).toMatchObject({ kind: 'file', batch })
    }
  })

  it.each([
    [null],
    ['5b1f4a52-7d0e-4c3b-9a41-2f6d8e0c7b13'],
    [{ id: 'x', count: 2, index: 0 }],
    [{ id: '5b1f4a52-7d0e-4c3b-9a41-2f6d8e0c7b13', count: 1, index: 0 }],
    [{ id: '5b1f4a52-7d0e-4c3b-9a41-2f6d8e0c7b13', count: 201, index: 0 }],
    [{ id: '5b1f4a52-7d0e-4c3b-9a41-2f6d8e0c7b13', count: 2, index: 2 }],
    [{ id: '5b1f4a52-7d0e-4c3b-9a41-2f6d8e0c7b13', count: 2, index: -1 }],
  ])('f14_a_file_with_a_batch_that_cannot_be_is_shown_alone: %j', (batch) => {
    const content = parseContent({ file: { name: 'a', size: 7, type: '', batch } }, 'file')
    expect(content).toMatchObject({ kind: 'file', name: 'a' })
    expect(content).not.toHaveProperty('batch')
  })

  const SEAL = { key: `${'k'.repeat(42)}A`, salt: 's'.repeat(32) }

  it('e7_a_file_says_what_seals_it', () => {
    const file = { name: 'a.png', size: 7, type: 'image/png', seal: SEAL }
    const url = '/api/uploads/0123456789abcdef0123'
    for (const { message, extra } of [fileItemMessage(file), storedItemMessage({ ...file, url })])
      expect(parseContent(message, extra)).toMatchObject({ kind: 'file', seal: SEAL })
  })

  it.each([
    [null],
    ['k'],
    [{ key: SEAL.key }],
    [{ ...SEAL, key: SEAL.key.slice(1) }],
    [{ ...SEAL, salt: `${SEAL.salt}s` }],
    [{ ...SEAL, key: `${'k'.repeat(42)}B` }],
    [{ ...SEAL, salt: '+'.repeat(32) }],
  ])('e7_a_seal_that_cannot_be_read_counts_as_absent: %j', (seal) => {
    const content = parseContent({ file: { name: 'a', size: 7, type: '', seal } }, 'file')
    expect(content).toMatchObject({ kind: 'file', name: 'a' })
    expect(content).not.toHaveProperty('seal')
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

  it.each(['.gitignore', '.env.local', ' a', 'a. ', 'Cafe\u0301', 'Caf\u00e9', 'CON', '👩‍👩‍👧', 'שלום.txt'])(
    'f1_keeps_the_name_%s_to_the_bit',
    (name) => expect(displayName(name)).toBe(name),
  )

  it('has a name without deceptive characters or a path', () => {
    expect(displayName('../../etc/passwd')).toBe('.._.._etc_passwd')
    for (const dots of ['.', '..', '...', ' .. ']) expect(displayName(dots)).toBe('_')
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
