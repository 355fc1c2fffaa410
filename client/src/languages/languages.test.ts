import { describe, expect, it } from 'vitest'
import { bestLanguage, directionOf } from './languages'

describe('the language of the page', () => {
  it.each([
    [['en-GB', 'de'], 'en'],
    [['gsw', 'en'], 'en'],
    [['tlh', 'x-none'], 'en'],
    [[], 'en'],
  ])('for %j is %s', (wanted, language) => {
    expect(bestLanguage(wanted)).toBe(language)
  })

  it('is written from the left', () => {
    expect(directionOf('en')).toBe('ltr')
  })
})
