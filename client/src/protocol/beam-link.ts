/** Reads and makes the forms of a beam's address: its id, its link, and the text of a QR code. */
import type { BeamId, Site } from './bindings'

/** Query parameter that carries the beam's id in a link. */
export const BEAM_PARAM = 'beam_id'

const MARKER = `?${BEAM_PARAM}=`
const V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

/** Length of a whole id in characters. */
export const BEAM_ID_LENGTH = 36

/** Reads a version-4 UUID (RFC 9562, section 5.4), in either case; null for anything else. */
export function parseBeamId(text: string): BeamId | null {
  const trimmed = text.trim()
  return V4.test(trimmed) ? (trimmed.toLowerCase() as BeamId) : null
}

/** Finds a beam id in typed, pasted or scanned text: the id alone, or the text after `?beam_id=` up to `&` or `#`. */
export function findBeamId(text: string): BeamId | null {
  const [, after] = text.split(MARKER)
  return parseBeamId(after === undefined ? text : (after.split(/[&#]/)[0] ?? ''))
}

/** Returns the link by which another device joins the beam, on the origin of `shareableOrigin`. */
export function beamLink(
  beamId: BeamId,
  site: Site | null,
  page: { origin: string; hostname: string },
): string {
  return `${shareableOrigin(site, page)}/${MARKER}${beamId}`
}

/**
 * The origin that another device can open: the server's public one, else for a page on `localhost` the server's address
 * on the network, else the page's own. Without a slash at the end.
 */
export function shareableOrigin(site: Site | null, page: { origin: string; hostname: string }): string {
  if (site?.public_url) return site.public_url
  return isLoopback(page.hostname) ? (site?.network_url ?? page.origin) : page.origin
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)
}
