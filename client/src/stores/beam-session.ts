/** The beam that this page is in: the spec's "session". Kept in local storage under `session`. */
import { createStore } from 'zustand/vanilla'
import type { BeamId, BeamKey, Site } from '../protocol/bindings'

export interface BeamSession {
  readonly beamId: BeamId
  /** Null when joined by scan, link or typed id. */
  readonly beamKey: BeamKey | null
  readonly beamName: string
  /** Milliseconds since the Unix epoch by this device's clock, as far from now as the server says; null for a saved beam. */
  readonly expiresAt: number | null
}

export type BeamSessionState =
  | { status: 'none' }
  | { status: 'creating' }
  /** The server could not make one; the page offers to try again. */
  | { status: 'failed' }
  | { status: 'set'; session: BeamSession }

export function createBeamSessionStore() {
  return createStore<BeamSessionState>()(() => ({ status: 'none' }))
}

/** What the server says about itself; null until it answered. */
export type SiteState = { site: Site | null }

export function createSiteStore() {
  return createStore<SiteState>()(() => ({ site: null }))
}
