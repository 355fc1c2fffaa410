// @vitest-environment jsdom

import { i18n } from '@lingui/core'
import { afterEach, beforeEach, describe, expect, it, type Mock, vi } from 'vitest'
import type { User } from '../protocol/bindings'
import { pendingItem } from '../protocol/item'
import { DIRECT } from '../protocol/way'
import { reduceTransfers } from '../stores/transfers'
import type { Secrets } from '../transport/secrets'
import { keysToChange } from './beam-entries'
import { begin, type Questions } from './begin'
import { createBeamActions, joinedSession } from './current-beam'
import {
  beam,
  begins,
  CABIN,
  context,
  DAY_MS,
  FakeSocket,
  forgetTold,
  ITEM,
  ME,
  mine,
  NEW,
  OLD,
  PHONE,
  RENEWED,
  SITE,
  secrets,
  stores,
  toasts,
  told,
} from './current-beam-stage'
import { createDeleting } from './deleting'
import { loadSession, saveSession } from './session-storage'
import { storeTrust } from './trust-storage'
import { readUnsent, storeUnsent } from './unsent-storage'

/** Asks a server that knows nothing, but for this. */
const questions = (known: Partial<Questions> = {}): Questions => ({
  notesOf: async () => [],
  findByCode: async () => ({ why: 'unknown' }),
  warn: (text) => context.toaster.bad(text),
  ...known,
})

beforeEach(begins)
afterEach(() => vi.unstubAllGlobals())

it('s4_the_limits_are_those_that_the_server_tells', () => {
  const usual = stores.limits.getState()
  const limits = { message_bytes: 1, live_items: 2, stored_items: 3, places: 4, upload_bytes: 5 }
  beam.enter(joinedSession(OLD))
  FakeSocket.newest.accepts({ expires_at: 2, now: 1 })
  expect(stores.limits.getState()).toEqual(usual)
  FakeSocket.newest.accepts({ expires_at: 2, now: 1, limits })
  expect(stores.limits.getState()).toEqual(limits)
})

describe('the lifetime of a beam', () => {
  it('follows the server, whatever this clock shows', () => {
    const now = Date.now()
    vi.setSystemTime(now)
    beam.enter(joinedSession(OLD))
    // The server's clock is years behind.
    FakeSocket.newest.accepts({ expires_at: 1_000 + 60_000, now: 1_000 })
    expect(stores.session.getState()).toMatchObject({ session: { expiresAt: now + 60_000 } })
    expect(loadSession(now + 59_999)).toMatchObject({ beamId: OLD })
    expect(loadSession(now + 60_000)).toBeNull()
    vi.useRealTimers()
  })

  it.each([
    ['that was joined', (socket: FakeSocket) => socket.accepts({ expires_at: null, now: 1, saved: CABIN })],
    [
      'that was saved just now',
      (socket: FakeSocket) => {
        socket.accepts({ expires_at: 2, now: 1 })
        socket.says({ type: 'beam_saved', message: CABIN })
      },
    ],
  ])('has no end for a saved one %s: a reload after days finds it', (_when, enter) => {
    beam.enter(mine)
    enter(FakeSocket.newest)
    expect(loadSession(Date.now() + 30 * DAY_MS)).toMatchObject({ beamId: OLD, beamName: 'Cabin' })
  })
})

describe('what is open on the items of a beam', () => {
  const field = { kind: 'editing-text', id: ITEM, text: 'mine', opened: 'hello', question: 'none' } as const
  beforeEach(() => {
    beam.enter(mine)
    FakeSocket.newest.accepts({ expires_at: null, now: 1, saved: CABIN })
    stores.items.setState({ items: [pendingItem(ITEM, 'hello', 'text', 0)] })
    stores.editor.setState(field, true)
    stores.fullView.setState({ kind: 'open', id: ITEM, order: 'newest-first' }, true)
    stores.beamDialog.setState({ kind: 'send', item: ITEM }, true)
  })

  it.each([
    ['is left', () => beam.leave()],
    ['makes way for another one', () => beam.enter(joinedSession(NEW))],
  ])('is closed when the beam %s', (_when, go) => {
    go()
    expect(stores.editor.getState()).toEqual({ kind: 'closed' })
    expect(stores.fullView.getState()).toEqual({ kind: 'closed' })
    expect(stores.beamDialog.getState()).toEqual({ kind: 'none' })
  })

  it('stays open when the link of the beam is renewed', () => {
    beam.renewed(OLD, RENEWED, true)
    expect(stores.editor.getState()).toEqual(field)
  })
})

describe('the transfer of an item', () => {
  const DONE = { status: 'done', url: 'blob:b', isKept: true, way: DIRECT } as const
  const offered = () => stores.transfers.getState().transfers[ITEM]
  const shown = () => stores.items.getState().items.map(({ id }) => id)
  const here = { id: ITEM, seq: 1, from: ME, at: 0, message: 'hello', extra: 'text' }
  const syncs = (...items: object[]) =>
    FakeSocket.newest.says({
      type: 'sync',
      message: { epoch: 'e', oldest: 1, dropped: 0, items, next: null },
    })
  beforeEach(() => {
    URL.revokeObjectURL = () => {}
    beam.enter(mine)
    FakeSocket.newest.accepts({ expires_at: null, now: 1, saved: CABIN })
    const note = { ...pendingItem(ITEM, 'hello', 'text', 0), seq: 1, note: { mine: true } }
    stores.items.setState({ items: [note], epoch: 'e' })
    const offering = { type: 'offering', id: ITEM, url: 'blob:a' } as const
    stores.transfers.setState((state) => reduceTransfers(state, offering), true)
  })

  it('ends when another device deletes the item', async () => {
    FakeSocket.newest.says({ type: 'delete_note', message: 'hello', id: ITEM })
    await vi.waitFor(() => expect(offered()).toBeUndefined())
    expect(stores.items.getState().items).toEqual([])
  })

  const received = () => {
    const event = { type: 'receiving', id: ITEM, state: DONE } as const
    stores.transfers.setState((state) => reduceTransfers(state, event), true)
  }

  it('gives back what was received when another device takes its deletion back', async () => {
    received()
    FakeSocket.newest.says({ type: 'delete_note', message: 'hello', id: ITEM })
    await vi.waitFor(() => expect(shown()).toEqual([]))
    FakeSocket.newest.says({ type: 'rec_clipboard', ...here, seq: 2, from: PHONE })
    await vi.waitFor(() => expect(shown()).toEqual([ITEM]))
    expect(offered()).toEqual({ role: 'receiving', state: DONE })
  })

  it('ends with what was received when another device has not taken its deletion back', async () => {
    received()
    const later = vi.spyOn(globalThis, 'setTimeout')
    FakeSocket.newest.says({ type: 'delete_note', message: 'hello', id: ITEM })
    await vi.waitFor(() => expect(shown()).toEqual([]))
    expect(offered()).toBeDefined()
    const [end] = later.mock.calls.find(([, wait]) => wait === 30_000) ?? []
    end?.()
    expect(offered()).toBeUndefined()
    later.mockRestore()
  })

  it('stays with an item whose deletion from here the server refuses', async () => {
    syncs(here)
    createDeleting(context, () => {}).deleteItem(ITEM)
    expect(shown()).toEqual([])
    FakeSocket.newest.says({ type: 'error', message: 'Not yours.', extra: 'forbidden', id: ITEM })
    syncs(here)
    await vi.waitFor(() => expect(shown()).toEqual([ITEM]))
    expect(offered()).toMatchObject({ url: 'blob:a' })
  })

  it('ends when the server confirms that it was deleted from here', async () => {
    syncs(here)
    createDeleting(context, () => {}).deleteItem(ITEM)
    expect(offered()).toBeDefined()
    FakeSocket.newest.says({ type: 'delete_note', message: 'hello', id: ITEM })
    await vi.waitFor(() => expect(offered()).toBeUndefined())
  })

  it('ends when the next sync shows that it was deleted from here', async () => {
    createDeleting(context, () => {}).deleteItem(ITEM)
    FakeSocket.newest.onclose({ code: 1012 })
    beam.wake()
    FakeSocket.newest.accepts({ expires_at: null, now: 1, saved: CABIN })
    syncs()
    await vi.waitFor(() => expect(offered()).toBeUndefined())
  })

  it('stays while the notes of an inaccessible beam are hidden', async () => {
    FakeSocket.newest.onclose({ code: 4401 })
    await vi.waitFor(() => expect(stores.items.getState().items).toEqual([]))
    expect(offered()).toBeDefined()
  })
})

it.each([
  ['http://192.0.2.7:8080', 'no', null],
  ['https://192.0.2.7:8443', 'a', expect.any(String)],
])('e1_a_beam_whose_link_leads_to_%s_has_%s_secret', async (network_url, _has, invite) => {
  stores.site.setState({ site: { ...SITE, network_url } }, true)
  const created = { beam_id: NEW, beam_key: 'A'.repeat(43), created_at: 1, expires_at: 2 }
  vi.stubGlobal('fetch', async () => new Response(JSON.stringify(created), { status: 201 }))
  await beam.create()
  expect(stores.session.getState()).toMatchObject({ session: { beamId: NEW, invite } })
})

describe('the answer to an older wish', () => {
  const inNew = () => expect(stores.session.getState()).toMatchObject({ session: { beamId: NEW } })
  const created = { beam_id: OLD, beam_key: 'A'.repeat(43), created_at: 1, expires_at: 2 }

  it.each<[string, () => Response]>([
    ['a beam that was created late', () => new Response(JSON.stringify(created), { status: 201 })],
    ['a failure', () => new Response('{}', { status: 500 })],
  ])('leaves the person in the beam joined meanwhile: %s', async (_what, answer) => {
    let arrives = (_response: Response) => {}
    vi.stubGlobal('fetch', () => new Promise<Response>((resolve) => (arrives = resolve)))
    const creating = beam.create()
    beam.join(NEW)
    arrives(answer())
    await creating
    inNew()
    expect(FakeSocket.all).toHaveLength(1)
  })

  it.each([0, 1])('that the saved beam has %i notes comes too late as well', async (count) => {
    saveSession(mine)
    vi.spyOn(performance, 'getEntriesByType').mockReturnValue([{ type: 'navigate' } as never])
    let arrives = (_notes: readonly unknown[]) => {}
    begin(beam, questions({ notesOf: () => new Promise((resolve) => (arrives = resolve)) }))
    beam.join(NEW)
    arrives(Array.from({ length: count }))
    await new Promise((resolve) => setTimeout(resolve))
    inNew()
    vi.restoreAllMocks()
  })
})

describe('a short code in the address', () => {
  beforeEach(() => history.replaceState(null, '', '/?beam_id=k7m-p3x'))

  it('joins the beam that it stands for, and leaves the address bar', async () => {
    begin(beam, questions({ findByCode: async (code) => (code === 'K7MP3X' ? { beam: NEW } : { why: '' }) }))
    await vi.waitFor(() => expect(beam.live).not.toBeNull())
    expect(FakeSocket.newest.url).toContain(NEW)
    expect(location.search).toBe('')
  })

  it('says so when it is wrong, and begins as without it', async () => {
    saveSession(mine)
    begin(beam, questions())
    await vi.waitFor(() => expect(beam.live).not.toBeNull())
    expect(FakeSocket.newest.url).toContain(OLD)
    expect(toasts()).toContain('unknown')
  })
})

it('leaves a beam for none: nothing is stored, and a later visit does not rejoin', () => {
  beam.enter(mine)
  const socket = FakeSocket.newest
  socket.accepts({ expires_at: Date.now() + DAY_MS, now: Date.now() })
  createBeamActions(beam, context).leaveBeam()
  expect(socket.isClosed).toBe(true)
  expect(loadSession(Date.now())).toBeNull()
  expect(stores.session.getState()).toEqual({ status: 'none' })
  expect(stores.connection.getState()).toEqual({ status: 'idle' })
  expect(beam.live).toBeNull()
})

it('leaves the stored session of another tab alone', () => {
  beam.enter(mine)
  saveSession(joinedSession(NEW))
  beam.leave()
  expect(loadSession(Date.now())).toMatchObject({ beamId: NEW })
})

it('enters a recent beam with what it knew of it', () => {
  const recent = { ...mine, beamName: 'Cabin', at: 0 }
  stores.recentBeams.setState({ beams: [recent] }, true)
  createBeamActions(beam, context).enterRecent(OLD)
  FakeSocket.newest.accepts({ expires_at: null, now: 0 })
  expect(FakeSocket.newest.auth()).toMatchObject({ message: mine.beamKey })
})

it('joins a beam again that it is in, when the channel to it has stopped', () => {
  beam.enter(mine)
  FakeSocket.newest.accepts({ expires_at: 2, now: 1 })
  beam.join(OLD)
  expect(FakeSocket.all).toHaveLength(1)
  FakeSocket.newest.onclose({ code: 4403 })
  beam.join(OLD)
  expect(FakeSocket.all).toHaveLength(2)
  expect(FakeSocket.newest.url).toContain(OLD)
})

it('e6_takes_the_secret_of_a_link_to_the_beam_that_it_is_in_and_shares_what_waits_there', async () => {
  beam.enter({ ...joinedSession(OLD), isSealed: true })
  FakeSocket.newest.accepts({ expires_at: 2, now: 1 })
  const phone = { device_id: PHONE, name: 'Phone', caps: ['files', 'e2e1'] }
  FakeSocket.newest.says({ type: 'authed_users', message: [phone] })
  const nothing = { epoch: 'e', oldest: 1, dropped: 0, items: [], next: null }
  FakeSocket.newest.says({ type: 'sync', message: nothing })
  await vi.waitFor(() => expect(stores.encryption.getState()).toMatchObject({ kind: 'locked' }))
  const { channel } = beam
  beam.join(OLD, { invite: 'A'.repeat(43), isSealed: true })
  await vi.waitFor(() => expect(stores.encryption.getState()).toMatchObject({ kind: 'waiting' }))
  expect(stores.session.getState()).toMatchObject({ session: { invite: 'A'.repeat(43) } })
  expect(beam.channel).toBe(channel)
  expect(FakeSocket.all).toHaveLength(1)
})

it('leaves the stored session to the tab that entered a beam last', () => {
  beam.enter(mine)
  saveSession({ ...mine, beamId: NEW })
  FakeSocket.newest.accepts({ expires_at: null, now: 1, saved: CABIN })
  expect(loadSession(Date.now())).toMatchObject({ beamId: NEW })
  expect(stores.session.getState()).toMatchObject({ session: { beamId: OLD, expiresAt: null } })
})

it('e9_asks_no_device_for_the_keys_of_a_saved_beam_before_its_login_is_fresh', async () => {
  vi.stubGlobal('fetch', () => new Promise(() => {}))
  const user = { username: 'ada', first_name: 'Ada', last_name: '', email: '', profile_picture: null }
  stores.account.setState({ status: 'authenticated', user }, true)
  beam.enter(joinedSession(OLD))
  FakeSocket.newest.accepts({ expires_at: null, now: 1, saved: CABIN })
  const phone = { device_id: PHONE, name: 'Phone', caps: ['files', 'e2e1'] }
  FakeSocket.newest.says({ type: 'authed_users', message: [phone] })
  const nothing = { epoch: 'e', oldest: 1, dropped: 0, items: [], next: null }
  FakeSocket.newest.says({ type: 'sync', message: nothing })
  await new Promise((resolve) => setTimeout(resolve))
  expect(stores.encryption.getState()).toEqual({ kind: 'unknown', isSuspected: false })
})

it('shows Beaming after each auth_success', () => {
  beam.enter(mine)
  FakeSocket.newest.accepts({ expires_at: 2, now: 1 })
  const [first] = stores.toasts.getState().toasts
  expect(toasts()).toEqual(['Beaming'])
  FakeSocket.newest.onclose({ code: 1012 })
  beam.wake()
  FakeSocket.newest.accepts({ expires_at: 2, now: 1 })
  expect(toasts()).toEqual(['Beaming'])
  expect(stores.toasts.getState().toasts[0]?.id).not.toBe(first?.id)
})

it.each(['/login', '/register'])('shows no Beaming on %s, which has nothing of the beam', (path) => {
  history.replaceState(null, '', path)
  beam.enter(mine)
  FakeSocket.newest.accepts({ expires_at: 2, now: 1 })
  expect(stores.connection.getState()).toEqual({ status: 'live' })
  expect(toasts()).toEqual([])
  history.replaceState(null, '', '/')
})

it('s14_a_refused_item_shows_the_reason', async () => {
  beam.enter(mine)
  FakeSocket.newest.accepts({ expires_at: null, now: 1, saved: { ...CABIN, role: 'read' } })
  const item = pendingItem(ITEM, 'hello', 'text', 0)
  stores.items.setState({ items: [item], epoch: 'e' })
  beam.live?.share(ITEM, 'hello', 'text')
  const why = 'You may only read in this beam.'
  FakeSocket.newest.says({ type: 'error', message: why, extra: 'forbidden', id: ITEM })
  await vi.waitFor(() => expect(stores.items.getState().items).toEqual([{ ...item, refusal: why }]))
  expect(toasts()).toContain(why)
})

describe('in another language', () => {
  const refuses = (message: string, about: object = {}) =>
    FakeSocket.newest.says({ type: 'error', message, extra: 'forbidden', ...about })
  beforeEach(() => {
    i18n.loadAndActivate({ locale: 'de', messages: {} })
    beam.enter(mine)
    FakeSocket.newest.accepts({ expires_at: 2, now: 1 })
  })
  afterEach(() => i18n.loadAndActivate({ locale: 'en', messages: {} }))

  it('a refused item shows the reason', async () => {
    beam.live?.share(ITEM, 'hello', 'text')
    stores.items.setState({ items: [pendingItem(ITEM, 'hello', 'text', 0)], epoch: 'e' })
    refuses('You may only read in this beam.', { id: ITEM })
    await vi.waitFor(() =>
      expect(stores.items.getState().items[0]?.refusal).toBe('In diesem Beam darfst du nur lesen.'),
    )
    expect(toasts()).toContain('In diesem Beam darfst du nur lesen.')
  })

  it('a refused wish says why', async () => {
    const saving = beam.save('Cabin')
    refuses('Log in to save this beam.')
    expect(await saving).toBe('Melde dich an, um diesen Beam zu speichern.')
    createBeamActions(beam, context).removeDevice(PHONE)
    refuses('Only the creator, owner and admins can remove devices.', { to: PHONE })
    refuses('Try again.')
    const said = [
      'Geräte entfernen können nur Admins, Eigentümer:in und wer den Beam erstellt hat.',
      'Versuch es erneut.',
    ]
    await vi.waitFor(() => expect(toasts()).toEqual(expect.arrayContaining(said)))
  })
})

it('e9_a_page_that_has_deposited_the_keys_of_its_beam_tells_so', async () => {
  const ada: User = { username: 'ada', first_name: 'Ada', last_name: '', email: '', profile_picture: null }
  stores.account.setState({ status: 'authenticated', user: ada }, true)
  vi.stubGlobal(
    'fetch',
    async (path: string) => new Response(JSON.stringify(path.includes('/auth/me') ? { user: ada } : [])),
  )
  beam.enter({ ...mine, invite: 'MyBxiVvLPqxHW2CbAIKZNlWdMJ60utqB9uagdXLPQx8' })
  FakeSocket.newest.accepts({ expires_at: 2, now: 1 })
  FakeSocket.newest.says({
    type: 'authed_users',
    message: [{ device_id: ME, name: '', caps: ['e2e1'] }],
  })
  FakeSocket.newest.says({
    type: 'sync',
    message: { epoch: 'e', oldest: 1, dropped: 0, items: [], next: null },
  })
  await vi.waitFor(() => expect(stores.encryption.getState().kind).toBe('sealed'))
  const saving = beam.save('Cabin')
  FakeSocket.newest.says({ type: 'beam_saved', message: CABIN })
  await saving
  await vi.waitFor(() => expect(stores.vault.getState().deposits).toBeGreaterThan(0))
})

describe('e9_a_wish_to_save_the_beam_whose_answer_is_lost', () => {
  let takes: Mock<Secrets['stored']>
  const saves = async () => {
    beam.enter(mine)
    FakeSocket.newest.accepts({ expires_at: 2, now: 1 })
    takes = vi.spyOn(secrets, 'stored')
    const saving = beam.save('Cabin')
    FakeSocket.newest.onclose({ code: 1012 })
    expect(await saving).toContain('Not connected')
    beam.rejoin()
  }
  const isTakenAsMine = () => takes.mock.calls.map(([, isMine]) => isMine)

  it('counts_as_done_once_the_next_socket_says_that_the_person_owns_the_beam', async () => {
    await saves()
    FakeSocket.newest.accepts({ expires_at: null, now: 1, saved: CABIN })
    await vi.waitFor(() => expect(isTakenAsMine()).toEqual([true]))
  })

  it.each([
    ['another_person_owns_it', { ...CABIN, role: 'write' }],
    ['it_is_saved_by_nobody', null],
  ])('counts_no_more_once_the_next_socket_says_that_%s', async (_, saved) => {
    await saves()
    FakeSocket.newest.accepts({ expires_at: null, now: 1, ...(saved && { saved }) })
    FakeSocket.newest.says({ type: 'beam_saved', message: CABIN })
    await vi.waitFor(() => expect(isTakenAsMine()).not.toEqual([]))
    expect(isTakenAsMine()).not.toContain(true)
  })

  it('counts_also_where_the_person_presses_again_meanwhile', async () => {
    await saves()
    expect(await beam.save('Cabin')).toContain('Not connected')
    FakeSocket.newest.accepts({ expires_at: null, now: 1, saved: CABIN })
    await vi.waitFor(() => expect(isTakenAsMine()).toEqual([true]))
  })

  it('counts_no_more_once_it_was_refused', async () => {
    beam.enter(mine)
    FakeSocket.newest.accepts({ expires_at: 2, now: 1 })
    takes = vi.spyOn(secrets, 'stored')
    const saving = beam.save('Cabin')
    FakeSocket.newest.says({ type: 'error', message: 'Log in to save this beam.', extra: 'unauthorized' })
    await saving
    FakeSocket.newest.says({ type: 'beam_saved', message: CABIN })
    await vi.waitFor(() => expect(isTakenAsMine()).toEqual([false]))
  })
})

it('s14_a_refused_item_does_not_answer_a_pending_save', async () => {
  beam.enter(mine)
  FakeSocket.newest.accepts({ expires_at: 2, now: 1 })
  const saving = beam.save('Cabin')
  FakeSocket.newest.says({ type: 'error', message: 'Full.', extra: 'no_room', id: ITEM })
  FakeSocket.newest.says({ type: 'error', message: 'Log in to save this beam.', extra: 'unauthorized' })
  expect(await saving).toBe('Log in to save this beam.')
})

it('r2_an_error_about_a_relayed_frame_is_not_shown', async () => {
  beam.enter(mine)
  FakeSocket.newest.accepts({ expires_at: 2, now: 1 })
  const saving = beam.save('Cabin')
  FakeSocket.newest.says({ type: 'error', message: 'You may only read.', extra: 'forbidden', to: ME })
  expect(toasts()).toEqual(['Beaming'])
  FakeSocket.newest.says({ type: 'beam_saved', message: CABIN })
  expect(await saving).toBeNull()
})

it('e15_the_keys_of_the_beam_of_this_page_stay_to_be_changed_by_a_later_one_until_they_lie_where_they_go', async () => {
  const ada: User = { username: 'ada', first_name: 'Ada', last_name: '', email: '', profile_picture: null }
  stores.account.setState({ status: 'authenticated', user: ada }, true)
  beam.enter({ ...mine, invite: 'MyBxiVvLPqxHW2CbAIKZNlWdMJ60utqB9uagdXLPQx8' })
  FakeSocket.newest.accepts({ expires_at: null, now: 1, saved: CABIN })
  await beam.readingTaken(OLD)
  beam.leave()
  await beam.remove(OLD)
  expect(keysToChange.get(OLD, 'ada')).toBe('')
})

it('e18_keys_that_the_server_hid_when_a_share_ended_change_once_the_page_is_in_the_beam_and_has_them', async () => {
  const ada: User = { username: 'ada', first_name: 'Ada', last_name: '', email: '', profile_picture: null }
  stores.account.setState({ status: 'authenticated', user: ada }, true)
  stores.vault.setState({ own: { is: 'open', fingerprint: '' } })
  const { invite } = await secrets.make(OLD)
  vi.spyOn(secrets, 'rekeySaved').mockResolvedValue('hidden')
  const rekey = vi.spyOn(secrets, 'rekey')
  await beam.readingTaken(OLD)
  expect([keysToChange.get(OLD, 'ada'), rekey.mock.calls]).toEqual(['', []])
  beam.enter({ ...mine, invite })
  FakeSocket.newest.accepts({ expires_at: null, now: 1, saved: CABIN })
  await vi.waitFor(() => expect(rekey).toHaveBeenCalledOnce())
})

it('e15_a_beam_of_which_the_server_says_that_it_has_ended_is_still_to_get_new_keys_if_it_is_shown_again', async () => {
  keysToChange.set(OLD, 'ada', '')
  beam.enter(mine)
  FakeSocket.newest.onclose({ code: 4404 })
  await vi.waitFor(() => expect(stores.connection.getState()).toEqual({ status: 'stopped', why: 'ended' }))
  expect(keysToChange.get(OLD, 'ada')).toBe('')
})

describe('the wish to remove a device', () => {
  const why = 'Only its creator, owner and admins can remove devices.'
  const refuses = () => FakeSocket.newest.says({ type: 'error', message: why, extra: 'forbidden', to: PHONE })
  beforeEach(() => {
    beam.enter(mine)
    FakeSocket.newest.accepts({ expires_at: 2, now: 1 })
    createBeamActions(beam, context).removeDevice(PHONE)
    forgetTold()
  })

  it('s25_says_why_it_was_refused_and_stops_no_transfer_to_that_device', async () => {
    refuses()
    await vi.waitFor(() => expect(toasts()).toContain(why))
    expect(told).toEqual([])
  })

  it('is answered once: what the server says next concerns a frame', () => {
    refuses()
    refuses()
    expect(told).toEqual([{ do: 'refused', device: PHONE, why: 'forbidden' }])
  })

  it('is not answered by a frame that was dropped', () => {
    FakeSocket.newest.says({ type: 'error', message: 'Full.', extra: 'relay_full', to: PHONE })
    expect(told).toEqual([{ do: 'refused', device: PHONE, why: 'relay_full' }])
    expect(toasts()).not.toContain('Full.')
  })

  it('is done once the device is gone', () => {
    FakeSocket.newest.says({ type: 'authed_users', message: [] })
    forgetTold()
    refuses()
    expect(told).toHaveLength(1)
    expect(toasts()).not.toContain(why)
  })
})

describe('e1 a beam that is removed from this browser', () => {
  /** What this browser has of a beam: keys, what people compared, who it was there, the canvas, and that it was there last. */
  const traces = () => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])

  beforeEach(() => {
    sessionStorage.setItem('tab', 'mine')
    beam.enter(mine)
    FakeSocket.newest.accepts({ expires_at: 2, now: 1 })
    storeTrust(OLD, PHONE, { signs: [1, 2, 3, 4], state: 'verified', isIn: true })
    localStorage.setItem('canvas', JSON.stringify([{ beam: OLD, camera: [0, 0, 1], places: [] }]))
    localStorage.setItem(`tab closed ${OLD}`, 'token 1')
  })

  it('leaves nothing there', async () => {
    const forget = vi.spyOn(secrets, 'forget')
    beam.leave()
    saveSession(mine)
    expect(traces()).toContain(OLD)
    expect(await beam.remove(OLD)).toBe(true)
    expect(forget).toHaveBeenCalledExactlyOnceWith(OLD)
    expect(traces()).not.toContain(OLD)
  })

  it('leaves nothing there that was shared and not sent, and keeps that of another one', async () => {
    beam.leave()
    const item = { id: ITEM, message: 'hello', extra: 'text' }
    storeUnsent(OLD, [item])
    await beam.remove(OLD)
    expect(readUnsent(OLD)).toEqual([])
    storeUnsent(NEW, [item])
    await beam.remove(OLD)
    expect(readUnsent(NEW)).toEqual([item])
  })

  it('leaves no tab its keys, but for one that is in it by then', async () => {
    const forget = vi.spyOn(secrets, 'forget')
    beam.removed(OLD)
    expect(forget).not.toHaveBeenCalled()
    beam.leave()
    beam.removed(OLD)
    await vi.waitFor(() => expect(JSON.stringify({ ...sessionStorage })).not.toContain(OLD))
    expect(forget).toHaveBeenCalledExactlyOnceWith(OLD)
  })

  it('leaves everything there as long as a tab is in it', async () => {
    const request = vi.fn(async (_name: string, _options: LockOptions, granted: (lock: null) => unknown) =>
      granted(null),
    )
    vi.stubGlobal('navigator', { ...navigator, locks: { request } })
    const forget = vi.spyOn(secrets, 'forget')
    const before = traces()
    expect(await beam.remove(OLD)).toBe(false)
    expect(forget).not.toHaveBeenCalled()
    expect(traces()).toBe(before)
  })
})

it('works where site storage is blocked', () => {
  const blocked = () => {
    throw new DOMException('The operation is insecure.', 'SecurityError')
  }
  vi.spyOn(window, 'localStorage', 'get').mockImplementation(blocked)
  vi.spyOn(window, 'sessionStorage', 'get').mockImplementation(blocked)
  beam.enter(mine)
  FakeSocket.newest.accepts({ expires_at: 2, now: 1 })
  const first = FakeSocket.newest.auth().extra.device_token
  FakeSocket.newest.onclose({ code: 1012 })
  beam.wake()
  FakeSocket.newest.accepts({ expires_at: 2, now: 1 })
  expect(FakeSocket.newest.auth().extra.device_token).toBe(first)
  expect(stores.connection.getState()).toEqual({ status: 'live' })
  vi.restoreAllMocks()
})

describe('s27_when_its_person_logs_out_a_beam', () => {
  const opens = (saved: object | null) => {
    beam.enter(mine)
    FakeSocket.newest.accepts({ expires_at: null, now: 1, ...(saved && { saved }) })
    stores.items.setState({ items: [pendingItem(ITEM, 'hello', 'text', 0)] })
  }

  it.each([
    ['of their own', CABIN],
    ['that was shared with them', { ...CABIN, role: 'read' }],
  ])('%s is left, and no later page comes back to it', (_whose, saved) => {
    opens(saved)
    beam.loggedOut()
    expect(stores.session.getState()).toEqual({ status: 'none' })
    expect(stores.items.getState().items).toEqual([])
    expect(loadSession(Date.now())).toBeNull()
  })

  it.each([
    ['that is open by its link alone', { ...CABIN, by_link: true }],
    ['that is not saved', null],
  ])('%s is joined again without the login', (_which, saved) => {
    opens(saved)
    const before = FakeSocket.newest
    beam.loggedOut()
    expect(stores.session.getState()).toMatchObject({ session: { beamId: OLD } })
    expect(FakeSocket.newest).not.toBe(before)
  })
})
