/** The state of the live channel. A lost socket does not end a beam: direct links stay open. */
import { createStore } from 'zustand/vanilla'

export type Connection =
  | { status: 'idle' }
  | { status: 'connecting' }
  | { status: 'live' }
  | { status: 'reconnecting'; attempt: number; of: number }
  | { status: 'stopped'; why: 'unreachable' | 'logged-out' | 'forbidden' | 'ended' }

export function createConnectionStore() {
  return createStore<Connection>()(() => ({ status: 'idle' }))
}
