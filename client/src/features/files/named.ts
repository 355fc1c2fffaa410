import { i18n } from '@lingui/core'
import { plural, t } from '@lingui/core/macro'
import { shortName } from '../../ui/short-name'

const NAMED = 3

/** Lists names for a sentence: `“a”`, `“a” and “b”`, `“a”, “b”, “c” and 4 more`. */
export function named(names: readonly string[]): string {
  const shown = names.slice(0, NAMED).map(quoted)
  const more = names.length - shown.length
  const parts = more > 0 ? [...shown, plural(more, { other: '# more' })] : shown
  // The English of the page has no comma before its “and”.
  const locale = i18n.locale === 'en' ? 'en-GB' : i18n.locale
  return new Intl.ListFormat(locale).format(parts)
}

function quoted(whole: string): string {
  const name = shortName(whole)
  return t`“${name}”`
}
