/** The states of the connection to a beam. */
import { CLOSE_CODES } from '../protocol/bindings'

/** Why the client does not reconnect by itself (S19). */
export type StopReason = 'unreachable' | 'logged-out' | 'forbidden' | 'ended'

export type LiveBeamStatus =
  | { status: 'connecting' }
  | { status: 'live' }
  | { status: 'reconnecting'; attempt: number; of: number }
  | { status: 'stopped'; why: StopReason }

/** The reason that one of the `FINAL_CLOSE_CODES` tells. */
export function reasonOf(finalCode: number): StopReason {
  switch (finalCode) {
    case CLOSE_CODES.SessionEnded:
      return 'logged-out'
    case CLOSE_CODES.Ended:
      return 'ended'
    default:
      return 'forbidden'
  }
}
