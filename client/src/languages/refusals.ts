/** Says what the server refuses in the language of the page. The texts for it are loaded for the first refusal. */
import { i18n, type Messages } from '@lingui/core'
import { catalogues } from './catalogues'
import { SOURCE } from './languages'

const catalogueOf = catalogues(import.meta.glob<Messages>('./refusals/*.po', { import: 'messages' }))
/** Milliseconds after which a sentence is shown in English. */
const PATIENCE_MS = 3_000

/**
 * Returns a sentence of the server in the language of the page; as it is if the page does not know it, or if the texts
 * do not load.
 */
export async function inLanguage(sentence: string): Promise<string> {
  const { locale } = i18n
  if (locale === SOURCE) return sentence
  const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), PATIENCE_MS))
  const loaded = await Promise.race([load(locale).catch(() => null), late])
  if (loaded === null || i18n.locale !== locale) return sentence
  const [{ serverText }, messages] = loaded
  // Each time, because choosing a language replaces what is loaded of it.
  i18n.load(locale, messages)
  return serverText(sentence)
}

async function load(locale: string) {
  return await Promise.all([import('../protocol/server-texts'), catalogueOf(locale)])
}
