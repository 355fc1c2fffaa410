/** What this browser remembers of beams: the session (all tabs), and the token that keeps a tab the same device. */
import * as v from 'valibot'
import { parseBeamId } from '../protocol/beam-link'
import type { BeamId, DeviceToken } from '../protocol/bindings'
import { parseJson } from '../protocol/envelope'
import type { BeamSession } from '../stores/beam-session'

const SESSION_KEY = 'session'
const TOKEN_BYTES = 32

const stored = v.object({
  beam_id: v.string(),
  beam_key: v.nullable(v.string()),
  beam_name: v.string(),
  expiresAt: v.number(),
})

/** The saved session; null when there is none, it cannot be read, or its time is over. */
export function loadSession(now: number): BeamSession | null {
  const parsed = v.safeParse(stored, parseJson(localStorage.getItem(SESSION_KEY) ?? ''))
  if (!parsed.success) return null
  const { beam_key, beam_name, expiresAt } = parsed.output
  const beamId = parseBeamId(parsed.output.beam_id)
  if (!beamId || expiresAt <= now) return null
  return { beamId, beamKey: beam_key as BeamSession['beamKey'], beamName: beam_name, expiresAt }
}

export function saveSession({ beamId, beamKey, beamName, expiresAt }: BeamSession): void {
  const session = { beam_id: beamId, beam_key: beamKey, beam_name: beamName, expiresAt }
  localStorage.setItem(SESSION_KEY, JSON.stringify(session))
}

export function clearSession(): void {
  localStorage.removeItem(SESSION_KEY)
}

/** The token of this tab in a beam (S5). A duplicated tab takes a new one when the server says so. */
export function deviceToken(beam: BeamId, takeNew: boolean): DeviceToken {
  const key = `device ${beam}`
  const known = takeNew ? null : sessionStorage.getItem(key)
  const token = known ?? base64url(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)))
  sessionStorage.setItem(key, token)
  return token as DeviceToken
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
