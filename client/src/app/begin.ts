/** Decides which beam a page begins in: the one in its address, else the saved one, else a new one. */

import type { Actions } from '../features/actions'
import { paths } from '../features/paths'
import { BEAM_PARAM, findInvite, parseBeamId, SECRET_MARKER } from '../protocol/beam-link'
import type { BeamId, ShortCode } from '../protocol/bindings'
import { parseShortCode } from '../protocol/short-code'
import type { BeamSession } from '../stores/beam-session'
import { type CurrentBeam, type LinkSecret, NO_SECRET } from './current-beam'
import { clearSession, loadSession } from './session-storage'
import { takeParameter } from './shortcut'

/** From this width of the window in px, a beam is created automatically. */
const AUTO_CREATE_WIDTH = 1024

export interface Visit {
  readonly saved: BeamSession | null
  /** The beam in the address. */
  readonly linked: BeamId | null
  /** The home page was opened freshly: not by a reload, and not by the back button. */
  readonly isFreshHome: boolean
  readonly isWide: boolean
}

export type Beginning =
  | { do: 'nothing' }
  | { do: 'create' }
  | { do: 'enter'; beam: BeamId }
  | { do: 'reuse'; session: BeamSession }
  /** Reuses the saved beam if it has no notes; otherwise a new one is created. */
  | { do: 'check'; session: BeamSession }

/** Decides where a page begins. Only a fresh visit replaces a saved beam with notes by a new beam (P14). */
export function beginningOf({ saved, linked, isFreshHome, isWide }: Visit): Beginning {
  if (linked && linked !== saved?.beamId) return { do: 'enter', beam: linked }
  if (!saved) return { do: isWide ? 'create' : 'nothing' }
  const mayMakeAnother = isFreshHome && isWide && !linked
  return { do: mayMakeAnother ? 'check' : 'reuse', session: saved }
}

/** What the server is asked before a beam is entered. */
export interface Questions {
  notesOf(beam: BeamId): Promise<readonly unknown[]>
  findByCode: Actions['findByCode']
  /** Shows why a short code in the address leads nowhere. */
  warn(text: string): void
}

/** Enters the first beam of the page. Call it once. */
export function begin(beam: CurrentBeam, { notesOf, findByCode, warn }: Questions): void {
  const saved = loadSession(Date.now())
  const secret = takeSecret()
  const named = takeNamedBeam()
  const linked = named === null ? null : parseBeamId(named)
  const code = named === null ? null : parseShortCode(named)
  const isWide = window.innerWidth >= AUTO_CREATE_WIDTH
  const beginning = beginningOf({ saved, linked, isFreshHome: isFreshHome(), isWide })
  const createHere = () => {
    clearSession()
    if (isWide) void beam.create()
  }
  // A saved beam that has ended meanwhile is not reused, unless a link named it.
  const reuse = (session: BeamSession) => {
    let wasLive = false
    beam.enter(session, (status) => {
      wasLive ||= status.status === 'live'
      if (status.status === 'stopped' && status.why === 'ended' && !wasLive && !linked) createHere()
    })
  }
  const check = async (session: BeamSession) => {
    const isWanted = beam.wait()
    const does = await hasNotes(notesOf(session.beamId))
    // The person may have joined another beam meanwhile.
    if (!isWanted()) return
    if (does) createHere()
    else reuse(session)
  }
  const start = () => {
    switch (beginning.do) {
      case 'nothing':
      case 'create':
        return createHere()
      case 'enter':
        return beam.join(beginning.beam, secret)
      case 'reuse':
        return reuse({ ...beginning.session, ...secret })
      case 'check':
        return void check(beginning.session)
    }
  }
  const joinBy = async (shortCode: ShortCode) => {
    const isWanted = beam.wait()
    const found = await findByCode(shortCode)
    if (!isWanted()) return
    if ('beam' in found) return beam.join(found.beam)
    warn(found.why)
    start()
  }
  if (code) void joinBy(code)
  else start()
}

/** Whether a beam has notes. A failed check counts as none. */
async function hasNotes(notes: Promise<readonly unknown[]>): Promise<boolean> {
  try {
    return (await notes).length > 0
  } catch (error) {
    // biome-ignore lint/suspicious/noConsole: the specification wants a failed check logged only.
    console.warn('The notes of the saved beam could not be checked', error)
    return false
  }
}

function isFreshHome(): boolean {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  return location.pathname === paths.home && navigation?.type === 'navigate'
}

/**
 * Reads the secret of a link from the address and removes it there at once, so that it stays neither in the address bar nor in
 * the history. A secret that has lost a part opens nothing, but says that the beam is sealed.
 */
function takeSecret(): LinkSecret {
  const { hash, pathname, search } = location
  if (!hash.startsWith(SECRET_MARKER)) return NO_SECRET
  history.replaceState(history.state, '', `${pathname}${search}`)
  return { invite: findInvite(hash), isSealed: true }
}

/** Reads the id or short code of a beam from the address and removes it there, without a reload. */
function takeNamedBeam(): string | null {
  return takeParameter(BEAM_PARAM)
}
