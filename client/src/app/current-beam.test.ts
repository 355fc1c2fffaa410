// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Beam, BeamId, BeamKey, DeviceId, ItemId } from '../protocol/bindings'
import { pendingItem } from '../protocol/item'
import type { BeamSession } from '../stores/beam-session'
import { createStores, type Stores } from '../stores/stores'
import { reduceTransfers } from '../stores/transfers'
import type { EngineCommand } from '../transport/engine-messages'
import type { Transfers } from '../transport/transfers'
import { begin } from './begin'
import type { Context } from './context'
import { CurrentBeam, createBeamActions, joinedSession } from './current-beam'
import { createDeleting } from './deleting'
import { loadSession, saveSession } from './session-storage'
import { createToaster } from './toaster'

const OLD = '0b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
const NEW = '1b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
const ME = '21234567-89ab-8cde-8f01-23456789abcd' as DeviceId
const PHONE = '31234567-89ab-8cde-8f01-23456789abcd' as DeviceId
const ITEM = '01234567-89ab-4cde-8f01-23456789abcd' as ItemId
const DAY_MS = 86_400_000
const RENEWED: Beam = { beam_id: NEW, beam_name: 'Cabin', created_at: 0, link_access: 'write' }

/** The browser's socket, whose server is the test. */
class FakeSocket {
  static readonly OPEN = 1
  static all: FakeSocket[] = []
  readonly readyState = FakeSocket.OPEN
  binaryType = ''
  isClosed = false
  readonly sent: string[] = []
  onopen = () => {}
  onmessage: (event: { data: string }) => void = () => {}
  onclose: (event: { code: number }) => void = () => {}

  constructor(readonly url: string) {
    FakeSocket.all.push(this)
  }

  static get newest(): FakeSocket {
    const socket = FakeSocket.all.at(-1)
    if (!socket) throw new Error('no socket was opened')
    return socket
  }

  send(data: string) {
    this.sent.push(data)
  }

  close() {
    this.isClosed = true
  }

  says(message: object) {
    this.onmessage({ data: JSON.stringify(message) })
  }

  /** Accepts the device's `auth`. */
  accepts(welcome: { expires_at: number | null; now: number; saved?: object }) {
    this.onopen()
    this.says({ type: 'auth_success', message: 'Welcome' })
    const message = { device_id: ME, ice_servers: [], creator: true, saved: null, ...welcome }
    this.says({ type: 'welcome', message })
  }

  auth() {
    return JSON.parse(this.sent[0] ?? 'null')
  }
}

let stores: Stores
let beam: CurrentBeam
let context: Context
/** What the engine was told. */
let told: EngineCommand[]

const CABIN = { beam_name: 'Cabin', role: 'owner', link_access: 'write', by_link: false }
const mine: BeamSession = {
  beamId: OLD,
  beamKey: 'the key' as BeamKey,
  beamName: '',
  expiresAt: Date.now() + DAY_MS,
}
const toasts = () => stores.toasts.getState().toasts.map(({ text }) => text)

beforeEach(() => {
  localStorage.clear()
  sessionStorage.clear()
  FakeSocket.all = []
  vi.stubGlobal('WebSocket', FakeSocket)
  vi.stubGlobal('fetch', async () => new Response('[]'))
  stores = createStores()
  stores.account.setState({ status: 'anonymous' }, true)
  told = []
  const transfers = {
    tell: (command: EngineCommand) => void told.push(command),
    offered: () => null,
    forgetDeleted: () => {},
  } as Partial<Transfers> as Transfers
  context = { stores, transfers, toaster: createToaster(stores.toasts), live: () => beam.live }
  beam = new CurrentBeam(context, () => {})
})
afterEach(() => vi.unstubAllGlobals())

describe('a renewed link', () => {
  beforeEach(() => {
    beam.enter(mine)
    FakeSocket.newest.accepts({ expires_at: null, now: 1, saved: CABIN })
  })

  it('h28_is_followed_as_the_same_device_without_the_key_of_the_old_id', () => {
    const before = FakeSocket.newest
    beam.renewed(OLD, RENEWED)
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
    expect(stores.connection.getState()).toEqual({ status: 'stopped', why: 'ended' })
    beam.renewed(OLD, RENEWED)
    expect(FakeSocket.newest.url).toContain(`/ws/beam/${NEW}/`)
    FakeSocket.newest.accepts({ expires_at: null, now: 1, saved: CABIN })
    expect(stores.connection.getState()).toEqual({ status: 'live' })
    const item = { id: ITEM, seq: 1, from: ME, at: 0, message: 'hello', extra: 'text' }
    FakeSocket.newest.says({ type: 'sync', message: { epoch: 'e', oldest: 1, items: [item], next: null } })
    await vi.waitFor(() => expect(stores.items.getState().items).toHaveLength(1))
  })

  it('is followed by the next load of the page too', () => {
    beam.renewed(OLD, RENEWED)
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
    beam.renewed(OLD, RENEWED)
    expect(stores.items.getState().items).toEqual([item])
    expect(stores.transfers.getState().transfers[ITEM]).toMatchObject({ role: 'sending', url: 'blob:a' })
    expect(stores.canvas.getState()).toMatchObject({ beam: NEW, places, camera })
  })

  it('of another beam changes nothing here', () => {
    beam.renewed('5b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId, RENEWED)
    expect(FakeSocket.all).toHaveLength(1)
    expect(stores.session.getState()).toMatchObject({ session: { beamId: OLD } })
  })
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

describe('the transfer of an item', () => {
  const offered = () => stores.transfers.getState().transfers[ITEM]
  const shown = () => stores.items.getState().items.map(({ id }) => id)
  const here = { id: ITEM, seq: 1, from: ME, at: 0, message: 'hello', extra: 'text' }
  const syncs = (...items: object[]) =>
    FakeSocket.newest.says({ type: 'sync', message: { epoch: 'e', oldest: 1, items, next: null } })
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

describe('the answer to an older wish', () => {
  const inNew = () => expect(stores.session.getState()).toMatchObject({ session: { beamId: NEW } })
  const created = { beam_id: OLD, beam_key: 'the key', created_at: 1, expires_at: 2 }

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
    begin(beam, () => new Promise((resolve) => (arrives = resolve)))
    beam.join(NEW)
    arrives(Array.from({ length: count }))
    await new Promise((resolve) => setTimeout(resolve))
    inNew()
    vi.restoreAllMocks()
  })
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

it('leaves the stored session to the tab that entered a beam last', () => {
  beam.enter(mine)
  saveSession({ ...mine, beamId: NEW })
  FakeSocket.newest.accepts({ expires_at: null, now: 1, saved: CABIN })
  expect(loadSession(Date.now())).toMatchObject({ beamId: NEW })
  expect(stores.session.getState()).toMatchObject({ session: { beamId: OLD, expiresAt: null } })
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

describe('the wish to remove a device', () => {
  const why = 'Only its creator, owner and admins can remove devices.'
  const refuses = () => FakeSocket.newest.says({ type: 'error', message: why, extra: 'forbidden', to: PHONE })
  beforeEach(() => {
    beam.enter(mine)
    FakeSocket.newest.accepts({ expires_at: 2, now: 1 })
    createBeamActions(beam, context).removeDevice(PHONE)
    told = []
  })

  it('s25_says_why_it_was_refused_and_stops_no_transfer_to_that_device', () => {
    refuses()
    expect(toasts()).toContain(why)
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
    told = []
    refuses()
    expect(told).toHaveLength(1)
    expect(toasts()).not.toContain(why)
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
