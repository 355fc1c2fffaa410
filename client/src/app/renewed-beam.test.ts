// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { BeamDetails, BeamId, User } from '../protocol/bindings'
import { pendingItem } from '../protocol/item'
import { reduceTransfers } from '../stores/transfers'
import { begin } from './begin'
import {
  beam,
  begins,
  CABIN,
  FakeSocket,
  ITEM,
  ME,
  mine,
  NEW,
  OLD,
  RENEWED,
  secrets,
  stores,
} from './current-beam-stage'
import { loadSession, saveSession } from './session-storage'

const ada: User = { username: 'ada', first_name: 'Ada', last_name: '', email: '', profile_picture: null }
const found: BeamDetails = { beam: RENEWED, role: 'owner', owner: ada, shares: [] }

beforeEach(begins)
afterEach(() => vi.unstubAllGlobals())

describe('a renewed link', () => {
  beforeEach(() => {
    beam.enter(mine)
    FakeSocket.newest.accepts({ expires_at: null, now: 1, saved: CABIN })
  })

  it('h28_is_followed_as_the_same_device_without_the_key_of_the_old_id', () => {
    const before = FakeSocket.newest
    beam.renewed(OLD, RENEWED, true)
    const after = FakeSocket.newest
    expect(before.isClosed).toBe(true)
    expect(after.url).toContain(`/ws/beam/${NEW}/`)
    after.onopen()
    expect(before.auth()).toMatchObject({ message: 'the key' })
    expect(after.auth()).toMatchObject({ type: 'auth', message: null })
    expect(after.auth().extra.device_token).toBe(before.auth().extra.device_token)
  })

  it('h28_is_followed_although_the_server_has_ended_the_old_id_first', async () => {
    FakeSocket.newest.onclose({ code: 4404 })
    await shows({ status: 'stopped', why: 'ended' })
    beam.renewed(OLD, RENEWED, true)
    expect(FakeSocket.newest.url).toContain(`/ws/beam/${NEW}/`)
    FakeSocket.newest.accepts({ expires_at: null, now: 1, saved: CABIN })
    expect(stores.connection.getState()).toEqual({ status: 'live' })
    const item = { id: ITEM, seq: 1, from: ME, at: 0, message: 'hello', extra: 'text' }
    FakeSocket.newest.says({
      type: 'sync',
      message: { epoch: 'e', oldest: 1, dropped: 0, items: [item], next: null },
    })
    await vi.waitFor(() => expect(stores.items.getState().items).toHaveLength(1))
  })

  it('is followed by the next load of the page too', () => {
    beam.renewed(OLD, RENEWED, true)
    expect(loadSession(Date.now())).toEqual({
      beamId: NEW,
      beamKey: null,
      beamName: 'Cabin',
      expiresAt: null,
    })
  })

  it('keeps items, offered files and places', () => {
    const item = pendingItem(ITEM, 'hello', 'text', 0)
    stores.items.setState({ items: [item], epoch: 'e' })
    const offering = { type: 'offering', id: ITEM, url: 'blob:a' } as const
    stores.transfers.setState((state) => reduceTransfers(state, offering), true)
    const places = new Map([[ITEM, { x: 1, y: 2, z: 3 }]])
    stores.canvas.setState({ beam: OLD, places })
    const camera = stores.canvas.getState().camera
    beam.renewed(OLD, RENEWED, true)
    expect(stores.items.getState().items).toEqual([item])
    expect(stores.transfers.getState().transfers[ITEM]).toMatchObject({ role: 'sending', url: 'blob:a' })
    expect(stores.canvas.getState()).toMatchObject({ beam: NEW, places, camera })
  })

  it('of another beam changes nothing here', () => {
    beam.renewed('5b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId, RENEWED, true)
    expect(FakeSocket.all).toHaveLength(1)
    expect(stores.session.getState()).toMatchObject({ session: { beamId: OLD } })
  })
})

describe('a link that another device renewed', () => {
  const isRenewedElsewhere = () => FakeSocket.newest.onclose({ code: 4404 })
  const asked: string[] = []
  let who: User | undefined
  const answers = (body: unknown, status = 200) => {
    asked.length = 0
    vi.stubGlobal('fetch', async (path: string) => {
      if (path === '/api/auth/me') return new Response(JSON.stringify({ user: who }))
      if (path.startsWith('/api/beams/')) asked.push(path)
      return new Response(JSON.stringify(body), { status })
    })
  }
  beforeEach(() => {
    stores.account.setState({ status: 'authenticated', user: ada }, true)
    who = ada
    beam.enter(mine)
    FakeSocket.newest.accepts({ expires_at: null, now: 1, saved: CABIN })
    answers(found)
  })

  describe('before it is known who is logged in', () => {
    const forget = vi.fn()
    beforeEach(() => {
      forget.mockReset()
      vi.spyOn(secrets, 'forget').mockImplementation(async (id) => forget(id))
      stores.account.setState({ status: 'anonymous', isGuess: true }, true)
    })

    it('h26_is_followed_with_its_keys_by_a_person_who_is', async () => {
      isRenewedElsewhere()
      await vi.waitFor(() => expect(FakeSocket.newest.url).toContain(`/ws/beam/${NEW}/`))
      expect(forget).not.toHaveBeenCalled()
    })

    it('h26_can_be_tried_again_with_the_keys_where_the_server_does_not_answer', async () => {
      vi.stubGlobal('fetch', async () => Promise.reject(new TypeError('Failed to fetch')))
      isRenewedElsewhere()
      await shows({ status: 'stopped', why: 'unreachable' })
      expect(forget).not.toHaveBeenCalled()
    })

    it('h26_has_ended_the_beam_for_a_visitor', async () => {
      who = undefined
      isRenewedElsewhere()
      await shows({ status: 'stopped', why: 'ended' })
      expect([asked, forget.mock.calls]).toEqual([[], [[OLD]]])
    })
  })

  it('h26_is_followed_by_a_person_who_needs_no_link_and_who_never_reads_that_the_beam_has_ended', async () => {
    const seen: unknown[] = []
    stores.connection.subscribe((connection) => seen.push(connection))
    const before = FakeSocket.newest
    isRenewedElsewhere()
    await vi.waitFor(() => expect(FakeSocket.newest.url).toContain(`/ws/beam/${NEW}/`))
    expect(asked).toEqual([`/api/beams/${OLD}/`])
    FakeSocket.newest.accepts({ expires_at: null, now: 1, saved: CABIN })
    expect(FakeSocket.newest.auth()).toMatchObject({ message: null })
    expect(FakeSocket.newest.auth().extra.device_token).toBe(before.auth().extra.device_token)
    expect(seen).not.toContainEqual({ status: 'stopped', why: 'ended' })
    expect(loadSession(Date.now())).toMatchObject({ beamId: NEW, beamKey: null })
  })

  it('is followed by a page that was closed meanwhile, instead of a new beam', async () => {
    vi.spyOn(performance, 'getEntriesByType').mockReturnValue([{ type: 'reload' } as never])
    saveSession({ ...mine, expiresAt: null })
    begin(beam, { notesOf: async () => [], findByCode: async () => ({ why: '' }), warn: () => {} })
    isRenewedElsewhere()
    await vi.waitFor(() => expect(FakeSocket.newest.url).toContain(`/ws/beam/${NEW}/`))
    expect(asked).toEqual([`/api/beams/${OLD}/`])
    vi.restoreAllMocks()
  })

  it('is followed once it is known who is logged in', async () => {
    stores.account.setState({ status: 'loading' }, true)
    isRenewedElsewhere()
    await new Promise((resolve) => setTimeout(resolve))
    expect(asked).toEqual([])
    stores.account.setState({ status: 'authenticated', user: ada }, true)
    await vi.waitFor(() => expect(FakeSocket.newest.url).toContain(`/ws/beam/${NEW}/`))
  })

  it('has ended the beam for a person whom the server does not tell', async () => {
    answers({ detail: 'Not found.', code: 'not_found' }, 404)
    isRenewedElsewhere()
    await shows({ status: 'stopped', why: 'ended' })
    expect(stores.session.getState()).toMatchObject({ session: { beamId: OLD } })
  })

  it('can be tried again when the server could not be asked', async () => {
    vi.stubGlobal('fetch', async () => Promise.reject(new TypeError('Failed to fetch')))
    isRenewedElsewhere()
    await shows({ status: 'stopped', why: 'unreachable' })
  })

  it('is not followed by a person who has gone to another beam meanwhile', async () => {
    const other = '5b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
    isRenewedElsewhere()
    beam.join(other)
    await vi.waitFor(() => expect(asked).toHaveLength(1))
    await new Promise((resolve) => setTimeout(resolve))
    expect(FakeSocket.newest.url).toContain(other)
  })
})

async function shows(connection: object): Promise<void> {
  await vi.waitFor(() => expect(stores.connection.getState()).toEqual(connection))
}
