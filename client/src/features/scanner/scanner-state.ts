/** The states of the scanner: closed, open once the camera is granted, closing after a scan, closed again. */
import { t } from '@lingui/core/macro'
import { BEAM_PARAM, findBeamId } from '../../protocol/beam-link'

export type ScannerState =
  | { status: 'closed' }
  /** Waits for the camera and the person's permission. */
  | { status: 'asking' }
  | { status: 'open'; hint: string | null }
  /** The page is hidden, so the camera is off until it is visible again. */
  | { status: 'resting' }
  /** There is no camera. The screen shows what else to do. */
  | { status: 'failed'; why: string }
  /** The text of a beam's code was read: its whole link, with the secret. */
  | { status: 'closing'; text: string }

export type ScannerEvent =
  | { type: 'asked' }
  | { type: 'granted' }
  | { type: 'denied' }
  | { type: 'failed'; why: string }
  /** The text of a code in view. */
  | { type: 'read'; text: string }
  | { type: 'hidden' }
  | { type: 'shown' }
  | { type: 'cancelled' }
  /** The closing animation has ended. */
  | { type: 'gone' }

type Open = Extract<ScannerState, { status: 'open' }>

const CLOSED: ScannerState = { status: 'closed' }

/** Applies an event to the scanner. An event that does not fit the state changes nothing. */
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

/** Whether the camera should be on. */
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

/** A code of a beam ends the scan. Any other code is named, and scanning continues. */
function readingAfter(state: Open, text: string): ScannerState {
  if (findBeamId(text)) return { status: 'closing', text }
  const hint = text.includes(BEAM_PARAM)
    ? t`The link in this code is broken. Create a new code on the other screen.`
    : t`This code is not from a beam. Scan the one on the other screen.`
  return hint === state.hint ? state : { status: 'open', hint }
}
