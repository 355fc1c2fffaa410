/** The state of the live channel. A lost socket does not end a beam: direct links stay open. */
import { createStore } from 'zustand/vanilla'

export type Connection =
  | { status: 'idle' }
  | { status: 'connecting' }
  | { status: 'live' }
  | { status: 'reconnecting'; attempt: number; of: number }
  | { status: 'stopped'; why: 'unreachable' | 'logged-out' | 'forbidden' | 'ended' }

/** Why a beam is closed for good on this device. */
export type Gone = Exclude<Extract<Connection, { status: 'stopped' }>['why'], 'unreachable'>

/** Returns why the beam is closed for good on this device; null while it is not. */
export function whyGone(connection: Connection): Gone | null {
  return connection.status === 'stopped' && connection.why !== 'unreachable' ? connection.why : null
}

export function createConnectionStore() {
  return createStore<Connection>()(() => ({ status: 'idle' }))
}
