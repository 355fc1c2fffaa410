/** Reads the short code that stands for a beam's id for a few minutes (H33). */
import type { ShortCode } from './bindings'

export const SHORT_CODE_LENGTH = 6

/** The characters of a code: no 0, O, 1, I or L. */
const CODE = /^[A-HJKMNP-Z2-9]{6}$/
/** Every code has a letter that no id has, so that the beginning of an id never looks like one. */
const NOT_IN_IDS = /[G-Z]/

/** Reads a short code in either case, with or without a space or dash in the middle; null for anything else. */
export function parseShortCode(text: string): ShortCode | null {
  const code = withoutGaps(text)
  return CODE.test(code) && NOT_IN_IDS.test(code) ? (code as ShortCode) : null
}

/** Returns how many characters a text that begins like a short code lacks; null for a text that does not. */
export function missingOfShortCode(text: string): number | null {
  const code = withoutGaps(text)
  const isBeginning = /^[A-HJKMNP-Z2-9]{1,5}$/.test(code) && NOT_IN_IDS.test(code)
  return isBeginning ? SHORT_CODE_LENGTH - code.length : null
}

/** Whether a text is as long as a short code, is none, and is no beginning of an id either. */
export function isMistypedCode(text: string): boolean {
  const code = withoutGaps(text)
  return /^[A-Z\d]{6}$/.test(code) && NOT_IN_IDS.test(code) && !CODE.test(code)
}

/** Returns a code as it is shown, such as `K7M-P3X`. */
export function shownCode(code: ShortCode): string {
  return `${code.slice(0, 3)}-${code.slice(3)}`
}

function withoutGaps(text: string): string {
  return text.replace(/[\s-]/g, '').toUpperCase()
}
