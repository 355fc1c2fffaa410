/** Finds addresses, mailboxes and phone numbers in a text. Only http, https, mailto and tel become links. */
import { DECEPTIVE_CLASS } from '../../protocol/names'

export type TextPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly href: string }

const ADDRESS = `\\b(?:https?://|mailto:)[^\\s<>"'\`${DECEPTIVE_CLASS}]+`
const MAILBOX =
  '(?<![\\p{L}\\p{N}._%+@/:-])[\\p{L}\\p{N}][\\p{L}\\p{N}._%+-]*@(?:[\\p{L}\\p{N}-]+\\.)+\\p{L}{2,}(?![\\p{L}\\p{N}@])'
// The characters of the specification's pattern. What is a number for the phone is decided by `telephone`.
const PHONE = '(?<![\\p{L}\\p{N}.,:/#_@+=-])[+(]?\\d[\\d ()-]{5,}\\d(?![\\p{L}\\p{N}:/_@%=-]|[.,]\\d)'
const FOUND = new RegExp(`(?<address>${ADDRESS})|(?<mailbox>${MAILBOX})|(?<phone>${PHONE})`, 'giu')
/** Punctuation that ends a sentence and not an address. */
const TAIL = /[.,:;!?…]+$/
const PAIRS: readonly (readonly [string, string])[] = [
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
]

/** Splits the text at the beginnings and ends of links. */
export function linkify(text: string): readonly TextPart[] {
  const parts: TextPart[] = []
  let from = 0
  for (const match of text.matchAll(FOUND)) {
    const { address, href } = linkOf(match, text.slice(from, match.index))
    if (href === null) continue
    if (match.index > from) parts.push({ kind: 'text', text: text.slice(from, match.index) })
    parts.push({ kind: 'link', text: address, href })
    from = match.index + address.length
  }
  if (from < text.length) parts.push({ kind: 'text', text: text.slice(from) })
  return parts
}

/** Returns the part of a match that is linked, and where it leads; `before` is the text before it. */
function linkOf(match: RegExpExecArray, before: string): { address: string; href: string | null } {
  const { mailbox, phone } = match.groups ?? {}
  if (phone !== undefined) return { address: phone, href: telephone(phone, before) }
  if (mailbox !== undefined) return { address: mailbox, href: hrefOf(`mailto:${mailbox}`) }
  const address = withoutTail(match[0])
  return { address, href: hrefOf(address) }
}

/** Removes trailing punctuation, and a closing bracket that was opened before the address. */
function withoutTail(address: string): string {
  for (;;) {
    let shorter = address.replace(TAIL, '')
    for (const [open, close] of PAIRS) {
      if (shorter.endsWith(close) && count(shorter, close) > count(shorter, open))
        shorter = shorter.slice(0, -1)
    }
    if (shorter === address) return address
    address = shorter
  }
}

function count(text: string, letter: string): number {
  return text.split(letter).length - 1
}

function hrefOf(address: string): string | null {
  if (!URL.canParse(address)) return null
  const url = new URL(address)
  // An address without a host or mailbox is not linked.
  const isWhole = url.protocol === 'mailto:' ? url.pathname.includes('@') : url.host !== ''
  return isWhole ? url.href : null
}

/** Words after which a number without a country code is meant for the phone. */
const CALLS =
  /\b(?:tel|telefon|telephone|phone|call|mobile?|mobil|cell|handy|fax|ring|whatsapp)\b\.?(?: (?:no|nr|number|me|us)\b\.?)*:? *(?:\(?0\)?)?$/i
const DATE = /(?:^|\D)(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}-\d{1,2}-\d{4})(?:\D|$)/
/** The area code in brackets, and two further groups: `(555) 123-4567`. */
const AREA_CODE = /^\(\d{2,5}\)[ -]?\d{3,4}[ -]?\d{3,4}$/
/** E.164: at most 15 digits, and no country has numbers of less than 7 with its code. */
const DIGITS = { least: 7, most: 15 }

/**
 * Returns the address of a phone number. A plain row of digits may as well be an order or a date, so it counts only
 * with a country code, with an area code in brackets, or after a word like Tel. or call.
 */
function telephone(number: string, before: string): string | null {
  const digits = number.replace(/\(0\)|\D/g, '')
  if (digits.length < DIGITS.least || digits.length > DIGITS.most || DATE.test(number)) return null
  if (count(number, '(') !== count(number, ')') || /[ -]{2}/.test(number)) return null
  if (/^\+[1-9]/.test(number)) return `tel:+${digits}`
  return AREA_CODE.test(number) || CALLS.test(before) ? `tel:${digits}` : null
}
