/** Finds addresses in a text. Only http, https and mailto become links, so that a click can open nothing else. */
import { DECEPTIVE_CLASS } from '../../protocol/names'

export type TextPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly href: string }

const ADDRESS = new RegExp(`\\b(?:https?://|mailto:)[^\\s<>"'\`${DECEPTIVE_CLASS}]+`, 'giu')
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
  for (const match of text.matchAll(ADDRESS)) {
    const address = withoutTail(match[0])
    const href = hrefOf(address)
    if (href === null) continue
    if (match.index > from) parts.push({ kind: 'text', text: text.slice(from, match.index) })
    parts.push({ kind: 'link', text: address, href })
    from = match.index + address.length
  }
  if (from < text.length) parts.push({ kind: 'text', text: text.slice(from) })
  return parts
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
