import { describe, expect, it } from 'vitest'
import type { BeamId } from '../protocol/bindings'
import type { BeamSession } from '../stores/beam-session'
import { beginningOf, type Visit } from './begin'

const session: BeamSession = {
  beamId: 'here' as BeamId,
  beamKey: null,
  beamName: '',
  expiresAt: 1,
}
const visit: Visit = { saved: session, linked: null, isFreshHome: true, isWide: true }

describe('where a page begins', () => {
  it('is a new beam on a wide window without one', () => {
    expect(beginningOf({ ...visit, saved: null })).toEqual({ do: 'create' })
    expect(beginningOf({ ...visit, saved: null, isWide: false })).toEqual({ do: 'nothing' })
  })

  it('is the beam of the address, whatever was saved', () => {
    const linked = 'there' as BeamId
    expect(beginningOf({ ...visit, linked })).toEqual({ do: 'enter', beam: linked })
    expect(beginningOf({ ...visit, saved: null, linked })).toEqual({ do: 'enter', beam: linked })
  })

  it('depends on the notes of the saved beam on a fresh visit', () => {
    expect(beginningOf(visit)).toEqual({ do: 'check', session })
  })

  it.each<[string, Partial<Visit>]>([
    ['after a reload', { isFreshHome: false }],
    ['after a link to the same beam', { linked: session.beamId }],
    ['on a narrow window, which makes no beams by itself', { isWide: false }],
  ])('is the saved beam %s', (_when, change) => {
    expect(beginningOf({ ...visit, ...change })).toEqual({ do: 'reuse', session })
  })
})
