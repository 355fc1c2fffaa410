/** The beams that this browser was in, the newest first. */
import { createStore } from 'zustand/vanilla'
import type { BeamId } from '../protocol/bindings'
import type { BeamSession } from './beam-session'

/** Most beams that are remembered. */
export const MOST_RECENT = 20

export interface RecentBeam extends BeamSession {
  /** When this device was last in it, in milliseconds since the Unix epoch. */
  readonly at: number
}

export interface RecentBeamsState {
  readonly beams: readonly RecentBeam[]
}

export type RecentBeamsEvent =
  | { type: 'loaded'; beams: readonly RecentBeam[]; now: number }
  /** This device is in a beam. */
  | { type: 'used'; session: BeamSession; at: number }
  /** A person removed a beam from the list, or the beam has ended. */
  | { type: 'forgotten'; beam: BeamId }

/** Applies an event to the recent beams. */
export function reduceRecentBeams(state: RecentBeamsState, event: RecentBeamsEvent): RecentBeamsState {
  const without = (beam: BeamId) => state.beams.filter(({ beamId }) => beamId !== beam)
  switch (event.type) {
    case 'loaded':
      return { beams: event.beams.filter((beam) => !isOver(beam, event.now)).slice(0, MOST_RECENT) }
    case 'used': {
      const used = { ...event.session, at: event.at }
      return { beams: [used, ...without(used.beamId)].slice(0, MOST_RECENT) }
    }
    case 'forgotten':
      return { beams: without(event.beam) }
  }
}

/**
 * Whether a beam has ended as far as this device knows. It may have been saved or kept longer since it was left, and the clock here may be
 * wrong: what is here of it stays until the server says that it has ended, or for a while.
 */
function isOver({ expiresAt }: BeamSession, now: number): boolean {
  return expiresAt !== null && expiresAt <= now
}

export function createRecentBeamsStore() {
  return createStore<RecentBeamsState>()(() => ({ beams: [] }))
}
