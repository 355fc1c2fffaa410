/** Reads and makes the forms of a beam's address: its id, its link, and the text of a QR code. */
import type { BeamId, Site } from './bindings'

/** Query parameter that carries the beam's id in a link. */
export const BEAM_PARAM = 'beam_id'

/** Before the secret in a link (E1). A browser sends no fragment to a server. */
export const SECRET_MARKER = '#k='
/** 32 bytes as base64url, with whatever a program has put behind it. */
const SECRET = /#k=([\w-]{43})(?![\w-])/

const MARKER = `?${BEAM_PARAM}=`
const V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

/** Length of a whole id in characters. */
export const BEAM_ID_LENGTH = 36

/** Reads a version-4 UUID (RFC 9562, section 5.4), in either case; null for anything else. */
export function parseBeamId(text: string): BeamId | null {
  const trimmed = text.trim()
  return V4.test(trimmed) ? (trimmed.toLowerCase() as BeamId) : null
}

/**
 * Finds a beam id in typed, pasted or scanned text: the id alone, or the text after `?beam_id=` up to `&` or `#`. A link
 * that has lost a part of its secret is broken: it would lead into the beam as if it had none.
 */
export function findBeamId(text: string): BeamId | null {
  if (text.includes(SECRET_MARKER) && findInvite(text) === null) return null
  const [, after] = text.split(MARKER)
  return parseBeamId(after === undefined ? text : (after.split(/[&#]/)[0] ?? ''))
}

/** Finds the secret in a link, or in the fragment of an address; null where there is none. */
export function findInvite(text: string): string | null {
  return SECRET.exec(text)?.[1] ?? null
}

/** Where a page came from, as in its `location`. */
export interface Page {
  readonly origin: string
  readonly hostname: string
}

/** What the link of a beam is made of. */
export interface Linked {
  readonly beamId: BeamId
  /** The secret (E1), as base64url; absent or null where it is not known. */
  readonly invite?: string | null | undefined
}

/**
 * Returns the link by which another device joins the beam, on the origin of `shareableOrigin`. A secret opens nothing on a page
 * without https, and whoever is on the way there could read it: it goes to an address by https, or with no link.
 */
export function beamLink(linked: Linked, site: Site | null, page: Page): string {
  const link = linkOn(shareableOrigin(site, page), linked)
  if (!linked.invite || opensSealed(link)) return link
  const origin = isSecure(page) ? page.origin : secureOrigin(site)
  return origin === null
    ? linkOn(shareableOrigin(site, page), { beamId: linked.beamId })
    : linkOn(origin, linked)
}

/** The origin under which the server is reached by https, as far as it knows; null where there is none. Without a slash at the end. */
export function secureOrigin(site: Site | null): string | null {
  return [site?.public_url, site?.network_url].find((origin) => origin?.startsWith('https://')) ?? null
}

/** Returns the link of a beam on an origin, or the origin's own address without a beam. */
export function linkOn(origin: string, linked: Linked | null): string {
  if (linked === null) return `${origin}/`
  const secret = linked.invite ? `${SECRET_MARKER}${linked.invite}` : ''
  return `${origin}/${MARKER}${linked.beamId}${secret}`
}

/**
 * The origin that another device can open, without a slash at the end. A page that came by https from another machine names its own:
 * the server could make up another one, which would be given the secret of every link. Else it is the server's public one, for a page
 * on `localhost` the server's address on the network, or the page's own.
 */
export function shareableOrigin(site: Site | null, page: Page): string {
  if (isSecure(page) && !isLoopback(page.hostname)) return page.origin
  if (site?.public_url) return site.public_url
  return isLoopback(page.hostname) ? (site?.network_url ?? page.origin) : page.origin
}

/** Whether the page that the link of a new beam leads to can seal (E12). */
export function isSecureLink(site: Site | null, page: Page): boolean {
  return opensSealed(shareableOrigin(site, page))
}

/** Whether a page at this address can seal: a browser has WebCrypto by https, and for the machine that it runs on. */
export function opensSealed(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || isLoopback(hostname)
}

/** Reads the origin of an address by http or https; null where it is none. */
export function originIn(address: string | null): string | null {
  if (address === null || !URL.canParse(address)) return null
  const { protocol, origin } = new URL(address)
  return protocol === 'https:' || protocol === 'http:' ? origin : null
}

function isSecure({ origin }: Page): boolean {
  return origin.startsWith('https://')
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)
}
