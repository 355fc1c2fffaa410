import { describe, expect, it } from 'vitest'
import type { Beam, BeamDetails, BeamId, BeamShare, SharedBeam, ShareId } from '../protocol/bindings'
import { type BeamsEvent, type BeamsState, linkDefeatsReadShares, reduceBeams } from './beams'

const beam = (id: string, beam_name = id): Beam => ({
  beam_id: id as BeamId,
  beam_name,
  created_at: 0,
  link_access: 'write',
})
const share = (id: string, of: Beam, share_type: BeamShare['share_type'] = 'read'): BeamShare => ({
  id: id as ShareId,
  beam: of,
  shared_with: 'jonas',
  share_type,
})
const owner = { username: 'mira', first_name: 'Mira', last_name: '', profile_picture: null }
const withMe: SharedBeam = { id: 's9' as ShareId, beam: beam('theirs'), owner, share_type: 'admin' }
const details = (of: Beam, shares: BeamShare[]): BeamDetails => ({ beam: of, role: 'owner', owner, shares })

const loaded: BeamsEvent = {
  type: 'loaded',
  lists: { mine: [beam('a'), beam('b')], withMe: [withMe], byMe: [share('s1', beam('a'))] },
}
const given = (...events: BeamsEvent[]): BeamsState =>
  events.reduce(reduceBeams, { lists: { status: 'idle' }, sharing: { status: 'closed' } } as BeamsState)
const lists = (state: BeamsState) => {
  if (state.lists.status !== 'ready') throw new Error('nothing was loaded')
  return state.lists
}

describe('the lists of beams', () => {
  it('stay on the screen while they are read again', () => {
    expect(given({ type: 'loading' }).lists.status).toBe('loading')
    expect(given(loaded, { type: 'loading' }).lists.status).toBe('ready')
  })

  it('show a new name in every list', () => {
    const state = given(loaded, { type: 'changed', beam: beam('a', 'Cabin') })
    expect(lists(state).mine[0]?.beam_name).toBe('Cabin')
    expect(lists(state).byMe[0]?.beam.beam_name).toBe('Cabin')
  })

  it('s23_have_the_name_that_another_device_gave', () => {
    const state = given(loaded, { type: 'renamed', id: 'a' as BeamId, name: 'Cottage' })
    expect(lists(state).mine.map(({ beam_name }) => beam_name)).toEqual(['Cottage', 'b'])
  })

  it('lose a deleted beam with its shares', () => {
    const state = given(loaded, { type: 'deleted', id: 'a' as BeamId })
    expect(lists(state).mine.map(({ beam_id }) => beam_id)).toEqual(['b'])
    expect(lists(state).byMe).toEqual([])
  })

  it('count a share of an own beam and not one that was made as an admin', () => {
    const own = given(loaded, { type: 'shared', share: share('s2', beam('b')) })
    expect(lists(own).byMe).toHaveLength(2)
    const foreign = given(loaded, { type: 'shared', share: share('s2', beam('theirs')) })
    expect(lists(foreign).byMe).toHaveLength(1)
  })

  it('are cleared at logout', () => {
    expect(given(loaded, { type: 'loggedOut' }).lists.status).toBe('idle')
  })

  it('lose a beam that was left', () => {
    expect(lists(given(loaded, { type: 'unshared', share: withMe.id })).withMe).toEqual([])
  })
})

describe('the sharing that is open', () => {
  const open: BeamsEvent[] = [
    loaded,
    { type: 'sharingOpened', beam: beam('a') },
    { type: 'sharingLoaded', details: details(beam('a'), [share('s1', beam('a'))]) },
  ]
  const people = (state: BeamsState) =>
    state.sharing.status === 'ready' ? state.sharing.details.shares : 'not ready'

  it('follows new, changed and removed shares', () => {
    const added = given(...open, { type: 'shared', share: share('s2', beam('a'), 'write') })
    expect(people(added)).toHaveLength(2)
    const changed = given(...open, { type: 'levelChanged', share: 's1' as ShareId, level: 'admin' })
    expect(people(changed)).toMatchObject([{ share_type: 'admin' }])
    expect(lists(changed).byMe).toMatchObject([{ share_type: 'admin' }])
    expect(people(given(...open, { type: 'unshared', share: 's1' as ShareId }))).toEqual([])
  })

  it('has the new id after its link was renewed', () => {
    const state = given(...open, { type: 'renewed', old: 'a' as BeamId, beam: beam('z') })
    expect(state.sharing).toMatchObject({ beam: { beam_id: 'z' }, details: { beam: { beam_id: 'z' } } })
    expect(lists(state).mine[0]?.beam_id).toBe('z')
  })

  it('ignores an answer about a beam whose dialog is closed', () => {
    const late: BeamsEvent = { type: 'sharingLoaded', details: details(beam('b'), []) }
    expect(given(loaded, { type: 'sharingOpened', beam: beam('a') }, late).sharing.status).toBe('loading')
    expect(given(loaded, late).sharing.status).toBe('closed')
  })

  it('b5_warns_when_the_link_allows_more_than_a_read_share', () => {
    const read = [share('s1', beam('a'), 'read')]
    expect(linkDefeatsReadShares('write', read)).toBe(true)
    expect(linkDefeatsReadShares('read', read)).toBe(false)
    expect(linkDefeatsReadShares('write', [share('s1', beam('a'), 'write')])).toBe(false)
  })
})
