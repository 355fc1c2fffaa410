/** Names that are safe to show and to save under. The list of characters is the server's, so that both clean names in the same way. */
import { DECEPTIVE_CHARACTERS, MAX_DEVICE_NAME } from './bindings'

const escaped = (code: number): string => `\\u{${code.toString(16)}}`

/** The inside of a character class, for a regular expression with the flag u. */
export const DECEPTIVE_CLASS: string = DECEPTIVE_CHARACTERS.map(
  ([from, to]) => `${escaped(from)}-${escaped(to)}`,
).join('')

const DECEPTIVE = new RegExp(`[${DECEPTIVE_CLASS}]`, 'gu')
const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}]/u

/** Cleans the name of a device as the server does (S6). It is empty where nothing of it can be seen. */
export function cleanDeviceName(name: string): string {
  const clean = name.replace(DECEPTIVE, '').trim()
  const short = [...clean].slice(0, MAX_DEVICE_NAME).join('').trim()
  return VISIBLE.test(short) ? short : ''
}

// A name must neither disguise its extension nor contain a path. A lone surrogate has no bytes in UTF-8.
const UNSAFE_IN_NAMES = new RegExp(`[${DECEPTIVE_CLASS}/\\\\\\p{Surrogate}]`, 'gu')

/** The most UTF-16 units of a name. The file systems of Windows and of Apple allow as many. */
export const MAX_NAME_LENGTH = 255

/**
 * Returns a name without characters that are unsafe to show or to save under. A name that it returned stays as it is. All
 * else is kept: a dot at the start, spaces around it, and the way in which its letters are composed.
 */
export function displayName(name: string): string {
  const clean = startOf(name.replace(UNSAFE_IN_NAMES, '_'), MAX_NAME_LENGTH)
  // Dots alone are this folder or the one above, also for systems that drop the spaces beside them.
  if (/^[\s.]*$/u.test(clean)) return clean.trim().replace(/^\.+/, '_') || 'file'
  return clean
}

/** Returns the start of a text: at most so many UTF-16 units, and no half of a character. */
export function startOf(text: string, units: number): string {
  return text.slice(0, Math.max(units, 0)).replace(/[\uD800-\uDBFF]$/, '')
}

/** Divides `a.tar` into `a` and `.tar`. A name that begins with its only dot has no ending. */
export function withEnding(name: string): readonly [stem: string, ending: string] {
  const dot = name.lastIndexOf('.')
  // A longer ending is none, and would leave no room for a number.
  const hasEnding = dot > 0 && name.length - dot <= 32
  return hasEnding ? [name.slice(0, dot), name.slice(dot)] : [name, '']
}

/** `a.tar` becomes `a (2).tar`. A name stays within its length. */
export function numbered(name: string, number: number): string {
  const [stem, ending] = withEnding(name)
  const mark = ` (${number})${ending}`
  return `${startOf(stem, MAX_NAME_LENGTH - mark.length)}${mark}`
}
