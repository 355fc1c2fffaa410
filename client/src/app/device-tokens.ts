/**
 * The device tokens of this tab, one for each beam (S5). They lie in the tab's storage, which a reload keeps. A browser
 * drops that with the tab, so they are known to all tabs too, under the name of the tab: one that is opened later is the
 * same device as one that was closed, and goes on with what that one has shared.
 */
import { randomBytes, toBase64Url } from '../crypto/bytes'
import type { BeamId, DeviceToken } from '../protocol/bindings'
import { browserStorage, tabStorage } from '../stores/site-storage'

const TOKEN_BYTES = 32
/** A closed tab is forgotten after so many milliseconds, as what it has received and not finished is. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000
/** The name of the tab, in its own storage. Absent where tabs know nothing of each other. */
const NAME_KEY = 'tab'
const NAMES = 'tab '

/** Returns this tab's token in a beam. The tab takes a new one when the server says that another device has it. */
export function deviceToken(beam: BeamId, takeNew: boolean): DeviceToken {
  const known = takeNew ? null : tabStorage.getItem(tokenKey(beam))
  const token = known ?? toBase64Url(randomBytes(TOKEN_BYTES))
  keep(beam, token)
  return token as DeviceToken
}

/** Moves the token to the beam's new id (H28), so that the device keeps its id. */
export function moveDeviceToken(from: BeamId, to: BeamId): void {
  const token = tabStorage.getItem(tokenKey(from))
  if (token === null) return
  keep(to, token)
  tabStorage.removeItem(tokenKey(from))
  const name = tabName()
  if (name !== null) browserStorage.removeItem(sharedKey(name, from))
}

/** Forgets who this browser was in a beam, also in tabs that were closed. */
export function forgetDeviceTokens(beam: BeamId): void {
  tabStorage.removeItem(tokenKey(beam))
  for (const key of browserStorage.keys(NAMES)) if (key.endsWith(` ${beam}`)) browserStorage.removeItem(key)
}

/** The name of this tab; null for one that has none yet, or a copy of it. */
export function tabName(): string | null {
  return tabStorage.getItem(NAME_KEY)
}

/** Gives this tab a name, and makes it another device in every beam than it was, or than the tab is that it is a copy of. */
export function beginTab(name: string): void {
  tabStorage.removeItems(tokenKey(''))
  tabStorage.setItem(NAME_KEY, name)
}

/** Returns the names of the tabs of which tokens are known, those first that were used last. Forgets old ones. */
export function knownTabs(now: number): readonly string[] {
  const used = new Map<string, number>()
  for (const key of browserStorage.keys(NAMES)) {
    const at = Number(browserStorage.getItem(key)?.split(' ')[1])
    const name = key.slice(NAMES.length).split(' ')[0] ?? ''
    if (now - at < KEPT_MS) used.set(name, Math.max(at, used.get(name) ?? 0))
    else browserStorage.removeItem(key)
  }
  return [...used].sort(([, one], [, other]) => other - one).map(([name]) => name)
}

/** Takes over the tokens of a tab that was closed, for the beams in which this one is no device yet. */
export function takeOver(tab: string): void {
  const prefix = sharedKey(tab, '')
  for (const key of browserStorage.keys(prefix)) {
    const beam = key.slice(prefix.length) as BeamId
    const token = browserStorage.getItem(key)?.split(' ')[0]
    if (token && tabStorage.getItem(tokenKey(beam)) === null) keep(beam, token)
    browserStorage.removeItem(key)
  }
}

function keep(beam: BeamId, token: string): void {
  tabStorage.setItem(tokenKey(beam), token)
  const name = tabName()
  if (name !== null) browserStorage.setItem(sharedKey(name, beam), `${token} ${Date.now()}`)
}

function tokenKey(beam: BeamId | ''): string {
  return `device ${beam}`
}

function sharedKey(tab: string, beam: BeamId | ''): string {
  return `${NAMES}${tab} ${beam}`
}
