/** Names that are safe to show and to save under. The list of characters is the server's, so that both clean names in the same way. */
import { DECEPTIVE_CHARACTERS } from './bindings'

const escaped = (code: number): string => `\\u{${code.toString(16)}}`

/** The inside of a character class, for a regular expression with the flag u. */
export const DECEPTIVE_CLASS: string = DECEPTIVE_CHARACTERS.map(
  ([from, to]) => `${escaped(from)}-${escaped(to)}`,
).join('')

// A name must neither disguise its extension nor contain a path.
const UNSAFE_IN_NAMES = new RegExp(`[${DECEPTIVE_CLASS}/\\\\]`, 'gu')

/** Returns a name without characters that are unsafe to show or to save under. A name that it returned stays as it is. */
export function displayName(name: string): string {
  // A dot at the start hides a file, and two of them are the folder above.
  const clean = name.replace(UNSAFE_IN_NAMES, '_').trim().replace(/^\.+/, '_').slice(0, 255).trim()
  return clean === '' ? 'file' : clean
}
