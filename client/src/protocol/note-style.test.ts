import { describe, expect, it } from 'vitest'
import { fontSize, readStyle, writeStyle } from './note-style'

const kept = (css: string) => writeStyle(readStyle(css))

describe('the style of a text', () => {
  it('keeps the size in px and both colours', () => {
    expect(kept('color: rgb(1, 2, 3); font-size: 18px; background-color: rgb(255,233,176)')).toBe(
      'font-size: 18px; color: rgb(1, 2, 3); background-color: rgb(255, 233, 176);',
    )
  })

  it('reads the hex that other editors store as rgb', () => {
    expect(kept('color: #ff0080')).toBe('color: rgb(255, 0, 128);')
    expect(kept('color: #f08')).toBe('color: rgb(255, 0, 136);')
  })

  it.each([
    'position: fixed; inset: 0; z-index: 9999',
    'background-image: url(https://evil.example/x)',
    'background-color: url(javascript:alert(1))',
    'color: red; color: expression(alert(1))',
    'color: rgb(1, 2, 300)',
    'font-size: 12pt; font-size: 200%',
    'font-family: Comic Sans MS; mso-style-name: x',
    '--ink: red; constructor: x; __proto__: y',
  ])('drops the rest: %s', (css) => expect(kept(css)).toBe(''))

  it('has a size that can be read and fits', () => {
    expect(['6px', '96px', '15.5px'].map(fontSize)).toEqual(['6px', '96px', '15.5px'])
    expect(['5px', '97px', '9999px', '-1px', '15'].map(fontSize)).toEqual([null, null, null, null, null])
  })
})
