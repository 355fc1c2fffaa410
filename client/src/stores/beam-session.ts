/** The beam that this page is in, the specification's "session". It is kept in local storage under `session`. */
import { createStore } from 'zustand/vanilla'
import type { BeamId, BeamKey, Site } from '../protocol/bindings'
import type { Encryption } from './encryption'

/** The stored name of a beam that was joined by a link (the specification's "Link parameter"). */
export const UNTITLED_KEY = 'Untitled Beam'

export interface BeamSession {
  readonly beamId: BeamId
  /** Null when joined by scan, link or typed id. */
  readonly beamKey: BeamKey | null
  readonly beamName: string
  /**
   * The secret that the beam's link carries (E1), as base64url; null where it is not known. It is never kept with the rest: the
   * worker that has the keys keeps it sealed.
   */
  readonly invite?: string | null
  /** Whether the beam is known to be sealed: then nothing goes out in clear text, whatever else is forgotten. */
  readonly isSealed?: boolean
  /** Milliseconds since the Unix epoch, converted from the server's clock to this device's; null for a saved beam. */
  readonly expiresAt: number | null
}

/**
 * Whether the beam's link can be told. That of a sealed beam carries the secret, which a page looks up after it was loaded. Where
 * this device never had the secret, the link is the bare one.
 */
export function hasLink({ isSealed, invite }: BeamSession, { kind }: Encryption): boolean {
  return !(isSealed === true && !invite && kind === 'unknown')
}

export type BeamSessionState =
  | { status: 'none' }
  | { status: 'creating' }
  /** The server could not create a beam; the page offers to try again. */
  | { status: 'failed' }
  | { status: 'set'; session: BeamSession }

export function createBeamSessionStore() {
  return createStore<BeamSessionState>()(() => ({ status: 'none' }))
}

/** The server's description of itself; null until it has answered. */
export type SiteState = { site: Site | null }

export function createSiteStore() {
  return createStore<SiteState>()(() => ({ site: null }))
}
