// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Beam, BeamId, BeamKey, DeviceId, ItemId } from '../protocol/bindings'
import { pendingItem } from '../protocol/item'
import type { BeamSession } from '../stores/beam-session'
import { createStores, type Stores } from '../stores/stores'
import { reduceTransfers } from '../stores/transfers'
import type { Transfers } from '../transport/transfers'
import { CurrentBeam, joinedSession } from './current-beam'
import { loadSession, saveSession } from './session-storage'
import { createToaster } from './toaster'

const OLD = '0b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
const NEW = '1b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
const ME = '21234567-89ab-8cde-8f01-23456789abcd' as DeviceId
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

const CABIN = { beam_name: 'Cabin', role: 'owner', link_access: 'write' }
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
  const transfers = { tell: () => {} } as Partial<Transfers> as Transfers
  beam = new CurrentBeam({ stores, transfers, toaster: createToaster(stores.toasts) }, () => {})
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

  it('stays while the notes of an inaccessible beam are hidden', async () => {
    FakeSocket.newest.onclose({ code: 4401 })
    await vi.waitFor(() => expect(stores.items.getState().items).toEqual([]))
    expect(offered()).toBeDefined()
  })
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
