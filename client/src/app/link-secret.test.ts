// @vitest-environment jsdom

import { beforeEach, describe, expect, it } from 'vitest'
import { begin, type Questions } from './begin'
import { createBeamActions } from './current-beam'
import { beam, begins, context, mine, NEW, OLD, stores } from './current-beam-stage'
import { saveSession } from './session-storage'

/** A link needs no answer of the server. */
const questions: Questions = {
  notesOf: async () => [],
  findByCode: async () => ({ why: 'unknown' }),
  warn: () => {},
}

beforeEach(begins)

describe('e1 a link with a secret', () => {
  const SECRET = 'A'.repeat(43)
  const session = () => stores.session.getState()
  const join = (text: string) => createBeamActions(beam, context).joinBeam(text)
  const withSecret = { session: { beamId: NEW, invite: SECRET, isSealed: true } }

  it.each(['/', '/login'])('in the address of %s leads into the beam, and is kept nowhere', (path) => {
    history.replaceState({ at: 1 }, '', `${path}?beam_id=${NEW}#k=${SECRET}`)
    begin(beam, questions)
    expect(session()).toMatchObject(withSecret)
    expect(location.href).toBe(location.origin + path)
    expect(history.state).toEqual({ at: 1 })
    expect(JSON.stringify([{ ...localStorage }, { ...sessionStorage }])).not.toContain(SECRET)
  })

  it('that is scanned, pasted or typed leads into the beam', () => {
    expect(join(`https://h.example/?beam_id=${NEW}#k=${SECRET}`)).toBe(true)
    expect(session()).toMatchObject(withSecret)
  })

  it('to the beam that the page was in before gives it the secret', () => {
    saveSession(mine)
    history.replaceState(null, '', `/?beam_id=${OLD}#k=${SECRET}`)
    begin(beam, questions)
    expect(session()).toMatchObject({ session: { beamId: OLD, beamKey: mine.beamKey, invite: SECRET } })
  })

  it('that has lost a part of it is refused where it is typed; in the address the beam counts as sealed', () => {
    const link = `/?beam_id=${NEW}#k=${SECRET.slice(1)}`
    expect(join(`https://h.example${link}`)).toBe(false)
    history.replaceState(null, '', link)
    begin(beam, questions)
    expect(session()).toMatchObject({ session: { beamId: NEW, invite: null, isSealed: true } })
    expect(location.hash).toBe('')
  })

  it('leaves another fragment in the address alone', () => {
    history.replaceState(null, '', `/?beam_id=${NEW}#notes`)
    begin(beam, questions)
    expect(location.hash).toBe('#notes')
    expect(session()).toMatchObject({ session: { beamId: NEW, invite: null } })
  })
})
