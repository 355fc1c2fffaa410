/** What this browser stores about the beam that it was in last, for all tabs. */
import * as v from 'valibot'
import { parseBeamId } from '../protocol/beam-link'
import type { BeamId, BeamKey } from '../protocol/bindings'
import { parseJson } from '../protocol/envelope'
import type { BeamSession } from '../stores/beam-session'
import { browserStorage } from '../stores/site-storage'

const SESSION_KEY = 'session'

const stored = v.object({
  beam_id: v.string(),
  beam_key: v.nullable(v.custom<BeamKey>((value) => typeof value === 'string')),
  beam_name: v.string(),
  expiresAt: v.nullable(v.number()),
  sealed: v.optional(v.boolean()),
})

/**
 * Returns the stored session; null when there is none, when it is invalid, or after its end. `now` is this device's
 * clock.
 */
export function loadSession(now: number): BeamSession | null {
  const session = readSession()
  const isOver = session !== null && session.expiresAt !== null && session.expiresAt <= now
  return isOver ? null : session
}

export function saveSession({ beamId, beamKey, beamName, expiresAt, isSealed }: BeamSession): void {
  const sealed = isSealed === true && { sealed: true }
  const session = { beam_id: beamId, beam_key: beamKey, beam_name: beamName, expiresAt, ...sealed }
  browserStorage.setItem(SESSION_KEY, JSON.stringify(session))
}

/** Changes the stored session of a beam. Does nothing when another tab has entered another beam since. */
export function updateSession(beam: BeamId, session: BeamSession): void {
  const kept = readSession()
  if (kept === null || kept.beamId === beam) saveSession(session)
}

export function clearSession(): void {
  browserStorage.removeItem(SESSION_KEY)
}

/** Removes the stored session of a beam. Does nothing when another tab has entered another beam since. */
export function clearSessionOf(beam: BeamId): void {
  if (readSession()?.beamId === beam) clearSession()
}

function readSession(): BeamSession | null {
  const parsed = v.safeParse(stored, parseJson(browserStorage.getItem(SESSION_KEY) ?? ''))
  if (!parsed.success) return null
  const { beam_id, beam_key, beam_name, expiresAt, sealed } = parsed.output
  const beamId = parseBeamId(beam_id)
  const isSealed = sealed === true && { isSealed: true }
  return beamId && { beamId, beamKey: beam_key, beamName: beam_name, expiresAt, ...isSealed }
}
