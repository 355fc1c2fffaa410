/** The languages of the page. Each has a catalogue beside this file. */

export const LANGUAGES: readonly LanguageFacts[] = [{ code: 'en', name: 'English', direction: 'ltr' }]

interface LanguageFacts {
  readonly code: Language
  /** In the language itself, so that its reader finds it. */
  readonly name: string
  readonly direction: 'ltr' | 'rtl'
}

export type Language = 'en'

/** English needs no catalogue to be loaded: its texts come with the page. */
export const SOURCE: Language = 'en'

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
  return LANGUAGES.find((language) => language.code === primary)?.code
}

/** Returns the language with this code; undefined for anything else. */
export function parseLanguage(code: string | null): Language | undefined {
  return LANGUAGES.find((language) => language.code === code)?.code
}

/** Returns the direction in which a language is written. */
export function directionOf(code: Language): 'ltr' | 'rtl' {
  return LANGUAGES.find((language) => language.code === code)?.direction ?? 'ltr'
}
