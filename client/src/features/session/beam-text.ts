/** Texts about a beam on its card. */

import { i18n } from '@lingui/core'
import { t } from '@lingui/core/macro'
import { UNTITLED_KEY } from '../../stores/beam-session'

const SHOWN_ID = 8

export function beamName(name: string): string {
  return isNamed(name) ? name : t`Untitled Beam`
}

/** A beam that was joined by a link has a name that tells nothing apart. */
export function isNamed(name: string): boolean {
  return name.trim() !== '' && name !== UNTITLED_KEY
}

/** Returns the first characters of an id, enough to tell beams apart. */
export function shortId(id: string): string {
  return `${id.slice(0, SHOWN_ID)}…`
}

/** Returns `Created` with the day. `at` is in milliseconds since the Unix epoch. */
export function createdText(at: number): string {
  const day = i18n.date(new Date(at), { month: 'short', day: 'numeric', year: 'numeric' })
  return t`Created ${day}`
}
