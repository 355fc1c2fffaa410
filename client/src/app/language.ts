/** Shows the page in a language: the one that the person chose on this device, else the browser's. */

import { i18n, type Messages } from '@lingui/core'
import { t } from '@lingui/core/macro'
import { catalogues } from '../languages/catalogues'
import {
  bestLanguage,
  directionOf,
  formatsOf,
  type Language,
  parseLanguage,
  SOURCE,
} from '../languages/languages'
import { browserStorage } from '../stores/site-storage'
import type { Stores } from '../stores/stores'
import type { Toaster } from './toaster'

const KEY = 'language'
const RETRY_MS = 3_000

/** Each catalogue is a file of its own, so that a page loads one. */
const catalogueOf = catalogues(import.meta.glob<Messages>('../languages/*.po', { import: 'messages' }))

/** Shows the page in the language of this device, and returns it. Call it before anything is drawn. */
export async function startLanguage(): Promise<Language> {
  const wanted = parseLanguage(browserStorage.getItem(KEY)) ?? bestLanguage(navigator.languages)
  // Without its catalogue, for example after an update while offline, the page is in English.
  return start(wanted)
    .catch(() => start(SOURCE))
    .catch(reloadSoon)
}

async function start(language: Language): Promise<Language> {
  speak(language, await catalogueOf(language))
  return language
}

/** Without any text there is no page: the connection broke, or the server was updated meanwhile. */
function reloadSoon(): Promise<never> {
  setTimeout(() => location.reload(), RETRY_MS)
  return new Promise(() => {})
}

/** Shows the page in another language, and remembers it on this device. */
export function createLanguageChoice(stores: Pick<Stores, 'language'>, toaster: Toaster) {
  let last: Language | null = null
  return async (wanted: Language): Promise<void> => {
    last = wanted
    try {
      const messages = await catalogueOf(wanted)
      // Another one was chosen while this one was loading.
      if (last !== wanted) return
      speak(wanted, messages)
      stores.language.setState({ language: wanted }, true)
      browserStorage.setItem(KEY, wanted)
    } catch {
      toaster.bad(t`This language did not load. Check the connection and try again.`)
    }
  }
}

function speak(language: Language, messages: Messages): void {
  i18n.loadAndActivate({ locale: language, locales: formatsOf(language), messages })
  document.documentElement.lang = language
  document.documentElement.dir = directionOf(language)
}
