/** Texts about a beam on its card. */
import { t } from '@lingui/core/macro'

const SHOWN_ID = 8

export const UNTITLED_BEAM = 'Untitled Beam'

const DATE = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', year: 'numeric' })

export function beamName(name: string): string {
  return name.trim() === '' ? UNTITLED_BEAM : name
}

/** Returns the first characters of an id, enough to tell beams apart. */
export function shortId(id: string): string {
  return `${id.slice(0, SHOWN_ID)}…`
}

/** Returns `Created` with the day. `at` is in milliseconds since the Unix epoch. */
export function createdText(at: number): string {
  return t`Created ${DATE.format(at)}`
}
