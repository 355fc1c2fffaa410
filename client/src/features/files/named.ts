import { shortName } from '../../ui/short-name'

const NAMED = 3

/** Lists names for a sentence: `“a”`, `“a” and “b”`, `“a”, “b”, “c” and 4 more`. */
export function named(names: readonly string[]): string {
  const shown = names.slice(0, NAMED).map((name) => `“${shortName(name)}”`)
  const more = names.length - shown.length
  const parts = more > 0 ? [...shown, `${more} more`] : shown
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}
