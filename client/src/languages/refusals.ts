/** Says what the server refuses in the language of the page. The texts for it are loaded for the first refusal. */
import { i18n, type Messages } from '@lingui/core'
import { SOURCE } from './languages'

const CATALOGUES = import.meta.glob<Messages>('./refusals/*.po', { import: 'messages' })

/**
 * Returns a sentence of the server in the language of the page; as it is if the page does not know it, or if the texts
 * do not load.
 */
export async function inLanguage(sentence: string): Promise<string> {
  const { locale } = i18n
  const load = CATALOGUES[`./refusals/${locale}.po`]
  if (locale === SOURCE || !load) return sentence
  try {
    const [{ serverText }, messages] = await Promise.all([import('../protocol/server-texts'), load()])
    // Each time, because choosing a language replaces what is loaded of it.
    i18n.load(locale, messages)
    return serverText(sentence)
  } catch {
    return sentence
  }
}
