/** The addresses that a link in a note may have. */
import { DECEPTIVE_CLASS } from './names'

const ALLOWED = new Set(['http:', 'https:', 'mailto:', 'sms:', 'tel:'])
const UNSEEN = new RegExp(`[${DECEPTIVE_CLASS}]`, 'gu')
const REFUSED = 'about:blank'
const PHONE = /^\+?[0-9\s()-]{5,}$/
/** A host with a port, which the URL parser would read as a scheme: `example.org:8080`. */
const HOST_AND_PORT = /^(?:localhost|[\w-]+(?:\.[\w-]+)+):\d+(?:[/?#]|$)/i

/**
 * Returns the address of a typed link: as typed when its scheme is allowed, with `tel:`, `mailto:` or `https://` added
 * when it has none, else `about:blank`.
 */
export function linkUrl(typed: string): string {
  // The URL parser ignores these characters, so `java\nscript:` would become a scheme that runs code.
  const url = typed.replace(UNSEEN, '').trim()
  if (URL.canParse(url) && !HOST_AND_PORT.test(url)) return ALLOWED.has(new URL(url).protocol) ? url : REFUSED
  if (PHONE.test(url)) return `tel:${url}`
  if (url.includes('@') && !url.includes('/')) return complete(`mailto:${url}`)
  return complete(`https://${url.replace(/^\/+/, '')}`)
}

function complete(url: string): string {
  return URL.canParse(url) ? url : REFUSED
}
