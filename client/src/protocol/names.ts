/** The characters that no name may have. The list is the server's, so that both clean names in the same way. */
import { DECEPTIVE_CHARACTERS } from './bindings'

const escaped = (code: number): string => `\\u{${code.toString(16)}}`

/** The inside of a character class, for a regular expression with the flag u. */
export const DECEPTIVE_CLASS: string = DECEPTIVE_CHARACTERS.map(
  ([from, to]) => `${escaped(from)}-${escaped(to)}`,
).join('')
