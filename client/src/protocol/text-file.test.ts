import { describe, expect, it } from 'vitest'
import { readTextStart } from './text-file'

const utf8 = (text: string) => new TextEncoder().encode(text)

describe('the start of a text file', () => {
  it('is UTF-8 without a mark, and the mark is no part of the text', () => {
    expect(readTextStart(utf8('Grüße'))).toEqual({ text: 'Grüße', encoding: 'utf-8' })
    expect(readTextStart(utf8('\ufeffGrüße'))?.text).toBe('Grüße')
  })

  it('is UTF-16 of either order by its mark', () => {
    expect(readTextStart(Uint8Array.of(0xff, 0xfe, 0x41, 0, 0xfc, 0))?.text).toBe('Aü')
    expect(readTextStart(Uint8Array.of(0xfe, 0xff, 0, 0x41, 0, 0xfc))?.text).toBe('Aü')
  })

  it('is Windows-1252 when it is not UTF-8', () => {
    expect(readTextStart(Uint8Array.of(0x47, 0x72, 0xfc, 0xdf, 0x65))).toEqual({
      text: 'Grüße',
      encoding: 'windows-1252',
    })
  })

  it('may end within a character', () => {
    expect(readTextStart(utf8('ab€').subarray(0, 4))).toEqual({ text: 'ab', encoding: 'utf-8' })
  })

  it('is refused when it has zero bytes', () => {
    expect(readTextStart(Uint8Array.of(0x50, 0x4b, 3, 4, 0, 0))).toBeNull()
  })

  it('keeps markup as characters', () => {
    expect(readTextStart(utf8('<script>alert(1)</script>'))?.text).toBe('<script>alert(1)</script>')
  })
})
