/** The language in which the page is shown. */
import { createStore } from 'zustand/vanilla'
import type { Language } from '../languages/languages'

export interface ShownLanguage {
  readonly language: Language
}

export function createLanguageStore(language: Language) {
  return createStore<ShownLanguage>()(() => ({ language }))
}
