/** What this browser stores about beams: the session, for all tabs, and each tab's device token. */
import * as v from 'valibot'
import { parseBeamId } from '../protocol/beam-link'
import type { BeamId, BeamKey, DeviceToken } from '../protocol/bindings'
import { parseJson } from '../protocol/envelope'
import type { BeamSession } from '../stores/beam-session'
import { browserStorage, tabStorage } from '../stores/site-storage'

const SESSION_KEY = 'session'
const TOKEN_BYTES = 32

const stored = v.object({
  beam_id: v.string(),
  beam_key: v.nullable(v.custom<BeamKey>((value) => typeof value === 'string')),
  beam_name: v.string(),
  expiresAt: v.nullable(v.number()),
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

export function saveSession({ beamId, beamKey, beamName, expiresAt }: BeamSession): void {
  const session = { beam_id: beamId, beam_key: beamKey, beam_name: beamName, expiresAt }
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

/** Returns this tab's token in a beam (S5). The tab takes a new one when the server says that another device has it. */
export function deviceToken(beam: BeamId, takeNew: boolean): DeviceToken {
  const known = takeNew ? null : tabStorage.getItem(tokenKey(beam))
  const token = known ?? base64url(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)))
  tabStorage.setItem(tokenKey(beam), token)
  return token as DeviceToken
}

/** Moves the token to the beam's new id (H28), so that the device keeps its id. */
export function moveDeviceToken(from: BeamId, to: BeamId): void {
  const token = tabStorage.getItem(tokenKey(from))
  if (token === null) return
  tabStorage.setItem(tokenKey(to), token)
  tabStorage.removeItem(tokenKey(from))
}

/** Makes this tab another device in every beam. */
export function forgetDeviceTokens(): void {
  tabStorage.removeItems(tokenKey(''))
}

function readSession(): BeamSession | null {
  const parsed = v.safeParse(stored, parseJson(browserStorage.getItem(SESSION_KEY) ?? ''))
  if (!parsed.success) return null
  const { beam_id, beam_key, beam_name, expiresAt } = parsed.output
  const beamId = parseBeamId(beam_id)
  return beamId && { beamId, beamKey: beam_key, beamName: beam_name, expiresAt }
}

function tokenKey(beam: BeamId | ''): string {
  return `device ${beam}`
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
