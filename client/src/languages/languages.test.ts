import { describe, expect, it } from 'vitest'
import { bestLanguage, directionOf } from './languages'

describe('the language of the page', () => {
  it.each([
    [['de-CH', 'en'], 'de'],
    [['gsw', 'fr-CA', 'en'], 'fr'],
    [['pt-BR'], 'pt'],
    [['zh-TW'], 'zh-Hant'],
    [['zh-Hant-HK'], 'zh-Hant'],
    [['zh-CN'], 'zh-Hans'],
    [['zh-Hans-HK'], 'zh-Hans'],
    [['zh'], 'zh-Hans'],
    [['iw-IL'], 'he'],
    [['tlh', 'x-none'], 'en'],
    [[], 'en'],
  ])('for %j is %s', (wanted, language) => {
    expect(bestLanguage(wanted)).toBe(language)
  })

  it('is written from the right in Arabic and Hebrew', () => {
    expect([directionOf('ar'), directionOf('he'), directionOf('ja')]).toEqual(['rtl', 'rtl', 'ltr'])
  })
})
