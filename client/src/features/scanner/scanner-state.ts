/** The scanner's rules: closed, open once the camera is granted, closing after a scan, closed again. Pure. */
import { BEAM_PARAM, findBeamId } from '../../protocol/beam-link'
import type { BeamId } from '../../protocol/bindings'

export type ScannerState =
  | { status: 'closed' }
  /** Waits for the camera, and for the person to allow it. */
  | { status: 'asking' }
  | { status: 'open'; hint: string | null }
  /** The page is hidden: the camera is off until it is seen again. */
  | { status: 'resting' }
  /** There is no camera to be had; the person is told what else to do. */
  | { status: 'failed'; why: string }
  | { status: 'closing'; beam: BeamId }

export type ScannerEvent =
  | { type: 'asked' }
  | { type: 'granted' }
  | { type: 'denied' }
  | { type: 'failed'; why: string }
  /** The text of a code that the camera sees. */
  | { type: 'read'; text: string }
  | { type: 'hidden' }
  | { type: 'shown' }
  | { type: 'cancelled' }
  /** It is out of sight. */
  | { type: 'gone' }

type Open = Extract<ScannerState, { status: 'open' }>

const CLOSED: ScannerState = { status: 'closed' }

/** Every way the scanner can change, in one place. What does not fit the moment changes nothing. */
export function reduceScanner(state: ScannerState, event: ScannerEvent): ScannerState {
  if (event.type === 'cancelled' || event.type === 'gone') return CLOSED
  switch (state.status) {
    case 'closed':
      return event.type === 'asked' ? { status: 'asking' } : state
    case 'asking':
      return askingAfter(state, event)
    case 'open':
      return openAfter(state, event)
    case 'resting':
      return event.type === 'shown' ? { status: 'asking' } : state
    case 'failed':
    case 'closing':
      return state
  }
}

/** Whether the camera is to be on. */
export function wantsCamera({ status }: ScannerState): boolean {
  return status === 'asking' || status === 'open'
}

function askingAfter(state: ScannerState, event: ScannerEvent): ScannerState {
  switch (event.type) {
    case 'granted':
      return { status: 'open', hint: null }
    case 'denied':
      return CLOSED
    case 'failed':
      return { status: 'failed', why: event.why }
    case 'hidden':
      return { status: 'resting' }
    default:
      return state
  }
}

function openAfter(state: Open, event: ScannerEvent): ScannerState {
  switch (event.type) {
    case 'read':
      return readingAfter(state, event.text)
    case 'failed':
      return { status: 'failed', why: event.why }
    case 'hidden':
      return { status: 'resting' }
    default:
      return state
  }
}

/** A beam ends the scan; any other code is named and scanning goes on. */
function readingAfter(state: Open, text: string): ScannerState {
  const beam = findBeamId(text)
  if (beam) return { status: 'closing', beam }
  const hint = text.includes(BEAM_PARAM)
    ? 'The link in this code is broken. Make the code anew on the other screen.'
    : 'This code is not of a beam. Scan the one on the other screen.'
  return hint === state.hint ? state : { status: 'open', hint }
}
