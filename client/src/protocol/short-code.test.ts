import { describe, expect, it } from 'vitest'
import type { ShortCode } from './bindings'
import { missingOfShortCode, parseShortCode, shownCode } from './short-code'

describe('h33 a short code', () => {
  it.each(['K7MP3X', 'k7mp3x', ' k7m-p3x ', 'K7M P3X', 'k7m – p3x'.replace('–', '-')])(
    'is read from %j',
    (text) => expect(parseShortCode(text)).toBe('K7MP3X'),
  )

  it.each(['', 'K7MP3', 'K7MP3XY', 'K7MP3O', 'K7MP31', 'K7MP3I', 'K7MP3L', 'K7MP30', 'K7M_P3'])(
    'is not read from %j',
    (text) => expect(parseShortCode(text)).toBeNull(),
  )

  it('is never the beginning of an id', () => {
    expect(parseShortCode('7c9e66')).toBeNull()
    expect(missingOfShortCode('7c9e6')).toBeNull()
  })

  it('is counted down as soon as it cannot be an id any more', () => {
    expect(missingOfShortCode('k7m-p')).toBe(2)
    expect(missingOfShortCode('xyz!')).toBeNull()
  })

  it('is shown in two halves', () => expect(shownCode('K7MP3X' as ShortCode)).toBe('K7M-P3X'))
})
