/** The languages of the page. Each has a catalogue beside this file. */

export const LANGUAGES = [
  { code: 'en', name: 'English', direction: 'ltr' },
  { code: 'de', name: 'Deutsch', direction: 'ltr' },
  { code: 'fr', name: 'Français', direction: 'ltr' },
  { code: 'es', name: 'Español', direction: 'ltr' },
  { code: 'pt', name: 'Português', direction: 'ltr' },
  { code: 'it', name: 'Italiano', direction: 'ltr' },
  { code: 'nl', name: 'Nederlands', direction: 'ltr' },
  { code: 'pl', name: 'Polski', direction: 'ltr' },
  { code: 'tr', name: 'Türkçe', direction: 'ltr' },
  { code: 'ru', name: 'Русский', direction: 'ltr' },
  { code: 'uk', name: 'Українська', direction: 'ltr' },
  { code: 'ja', name: '日本語', direction: 'ltr' },
  { code: 'ko', name: '한국어', direction: 'ltr' },
  { code: 'zh-Hans', name: '简体中文', direction: 'ltr' },
  { code: 'zh-Hant', name: '繁體中文', direction: 'ltr' },
  { code: 'hi', name: 'हिन्दी', direction: 'ltr' },
  { code: 'ar', name: 'العربية', direction: 'rtl' },
  { code: 'he', name: 'עברית', direction: 'rtl' },
] as const

export type Language = (typeof LANGUAGES)[number]['code']

/** The language of the texts in the sources. */
export const SOURCE: Language = 'en'

/** Chinese is written in two ways; a tag without a script says by its region which one is meant (RFC 5646, 4.1). */
const TRADITIONAL = /^zh\b.*-(hant|tw|hk|mo)\b/i
const SIMPLIFIED = /^zh-hans\b/i

/**
 * Returns the first of a person's languages that the page speaks, and English when there is none.
 *
 * @param wanted BCP 47 tags, the most wanted one first, as `navigator.languages` has them
 */
export function bestLanguage(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const known = languageOf(tag)
    if (known) return known
  }
  return SOURCE
}

function languageOf(tag: string): Language | undefined {
  const [primary = ''] = tag.toLowerCase().split('-')
  if (primary === 'zh') return TRADITIONAL.test(tag) && !SIMPLIFIED.test(tag) ? 'zh-Hant' : 'zh-Hans'
  // Hebrew had the code `iw` until 1989, and some Android devices still say so.
  return parseLanguage(primary === 'iw' ? 'he' : primary)
}

/** Returns the language with this code; undefined for anything else. */
export function parseLanguage(code: string | null): Language | undefined {
  return LANGUAGES.find((language) => language.code === code)?.code
}

/** Returns the name of a language in the language itself, so that its reader finds it in any other. */
export function nameOf(code: Language): string {
  return LANGUAGES.find((language) => language.code === code)?.name ?? code
}

/** Returns the direction in which a language is written. */
export function directionOf(code: Language): 'ltr' | 'rtl' {
  return LANGUAGES.find((language) => language.code === code)?.direction ?? 'ltr'
}

/**
 * Returns the locale by which numbers, dates and plurals are written. Arabic has digits of its own in some countries
 * only; ids, sizes and times on the page have the Latin ones everywhere, so that a sentence never mixes both.
 */
export function formatsOf(code: Language): string {
  return `${code}-u-nu-latn`
}
