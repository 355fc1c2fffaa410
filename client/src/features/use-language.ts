/** Draws a component again in another language, also where its props are the same (`memo`). */
import { useStore } from 'zustand'
import type { Language } from '../languages/languages'
import { useApp } from './actions'

export function useLanguage(): Language {
  return useStore(useApp().stores.language).language
}
