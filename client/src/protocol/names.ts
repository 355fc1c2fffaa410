/** Which characters no name may have: the server's own list, so that both clean alike. */
import { DECEPTIVE_CHARACTERS } from './bindings'

const escaped = (code: number): string => `\\u{${code.toString(16)}}`

/** The inside of a character class, for a regular expression with the flag u. */
export const DECEPTIVE_CLASS: string = DECEPTIVE_CHARACTERS.map(
  ([from, to]) => `${escaped(from)}-${escaped(to)}`,
).join('')
