// @vitest-environment jsdom
/** A page that came without https has no WebCrypto (E12): it is a plain client, and stays out of what it knows to be sealed. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createBeamActions, joinedSession } from './current-beam'
import {
  beam,
  begins,
  context,
  DAY_MS,
  FakeSocket,
  ITEM,
  mine,
  OLD,
  PHONE,
  stores,
  toasts,
} from './current-beam-stage'
import { loadSession } from './session-storage'

const SECRET = 'A'.repeat(43)

beforeEach(() => {
  begins()
  const { getRandomValues } = crypto
  vi.stubGlobal('crypto', { getRandomValues: getRandomValues.bind(crypto) })
})
afterEach(() => vi.unstubAllGlobals())

const joins = (link: string) => createBeamActions(beam, context).joinBeam(link)

it('e12_a_link_with_a_secret_never_falls_back_also_after_a_reload', () => {
  joins(`https://beam.example/?beam_id=${OLD}#k=${SECRET}`)
  const isOut = () => {
    expect(FakeSocket.all).toEqual([])
    expect(context.live()).toBeNull()
    expect(stores.encryption.getState()).toEqual({ kind: 'insecure', isShutOut: true })
  }
  isOut()
  expect(toasts()).toEqual([])
  expect(stores.session.getState()).toMatchObject({ session: { beamId: OLD, invite: SECRET } })
  const kept = loadSession(Date.now())
  expect(JSON.stringify(localStorage)).not.toContain(SECRET)
  beam.enter(kept ?? mine)
  isOut()
})

it('e12_leaves_the_beam_it_was_in_for_a_link_that_it_cannot_open_and_may_begin_another_one', () => {
  beam.enter(mine)
  const before = FakeSocket.newest
  joins(`https://beam.example/?beam_id=${PHONE}#k=${SECRET}`)
  expect(before.isClosed).toBe(false)
  joins(`https://beam.example/?beam_id=1b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b#k=${SECRET}`)
  expect(before.isClosed).toBe(true)
  expect(FakeSocket.all).toHaveLength(1)
  beam.enter(joinedSession(OLD))
  expect(FakeSocket.all).toHaveLength(2)
  expect(stores.encryption.getState()).toEqual({ kind: 'insecure', isShutOut: false })
})

it('e12_is_a_plain_client_elsewhere_and_shows_nothing_that_it_cannot_open', async () => {
  joins(OLD)
  const socket = FakeSocket.newest
  socket.accepts({ expires_at: Date.now() + DAY_MS, now: Date.now() })
  expect(socket.auth().extra.caps).not.toContain('e2e1')
  expect(stores.encryption.getState()).toEqual({ kind: 'insecure', isShutOut: false })
  const item = { type: 'rec_clipboard', extra: 'text', from: PHONE, at: 1 }
  socket.says({ ...item, id: ITEM, seq: 1, message: 'e2e1.AAAA' })
  socket.says({ ...item, id: OLD, seq: 2, message: 'in clear' })
  const shown = () => stores.items.getState().items.map(({ message }) => message)
  await vi.waitFor(() => expect(shown()).toEqual(['in clear']))
})
