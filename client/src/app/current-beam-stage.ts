/** The beam of a page whose server is the test. `begins` comes before each test. */
import { vi } from 'vitest'
import type { Beam, BeamId, BeamKey, DeviceId, ItemId, Site } from '../protocol/bindings'
import type { BeamSession } from '../stores/beam-session'
import { createStores, type Stores } from '../stores/stores'
import type { EngineCommand } from '../transport/engine-messages'
import { Secrets } from '../transport/secrets'
import type { Transfers } from '../transport/transfers'
import type { Context } from './context'
import { CurrentBeam } from './current-beam'
import { createToaster } from './toaster'

export const OLD = '0b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
export const NEW = '1b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
export const ME = '21234567-89ab-8cde-8f01-23456789abcd' as DeviceId
export const PHONE = '31234567-89ab-8cde-8f01-23456789abcd' as DeviceId
export const ITEM = '01234567-89ab-4cde-8f01-23456789abcd' as ItemId
export const DAY_MS = 86_400_000
export const RENEWED: Beam = { beam_id: NEW, beam_name: 'Cabin', created_at: 0, link_access: 'write' }

/** Keys live as long as the page. */
const keptNowhere = { read: async () => null, write: async () => {}, remove: async () => {} }

/** The browser's socket, whose server is the test. */
export class FakeSocket {
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
  accepts(welcome: { expires_at: number | null; now: number; saved?: object; limits?: object }) {
    this.onopen()
    this.says({ type: 'auth_success', message: 'Welcome' })
    const message = { device_id: ME, ice_servers: [], creator: true, saved: null, ...welcome }
    this.says({ type: 'welcome', message })
  }

  auth() {
    return JSON.parse(this.sent[0] ?? 'null')
  }
}

export let stores: Stores
export let beam: CurrentBeam
export let context: Context
export let secrets: Secrets
/** What the engine was told. */
export let told: EngineCommand[]

/** A server that only this machine reaches. */
export const SITE: Site = {
  name: 'Heliograph',
  version: '1.0.0',
  public_url: null,
  network_url: null,
  self_signed: false,
  repository: '',
}
export const CABIN = { beam_name: 'Cabin', role: 'owner', link_access: 'write', by_link: false }
export const mine: BeamSession = {
  beamId: OLD,
  beamKey: 'the key' as BeamKey,
  beamName: '',
  expiresAt: Date.now() + DAY_MS,
}
export const toasts = () => stores.toasts.getState().toasts.map(({ text }) => text)

export function begins(): void {
  localStorage.clear()
  sessionStorage.clear()
  FakeSocket.all = []
  vi.stubGlobal('WebSocket', FakeSocket)
  vi.stubGlobal('fetch', async () => new Response('[]'))
  stores = createStores()
  stores.account.setState({ status: 'anonymous' }, true)
  stores.site.setState({ site: SITE }, true)
  told = []
  const transfers = {
    tell: (command: EngineCommand) => void told.push(command),
    offered: () => null,
    forgetDeleted: () => {},
  } as Partial<Transfers> as Transfers
  context = { stores, transfers, toaster: createToaster(stores.toasts), live: () => beam.channel }
  secrets = new Secrets(keptNowhere, keptNowhere)
  beam = new CurrentBeam(context, secrets, () => {})
}

/** Forgets what the engine was told until now. */
export function forgetTold(): void {
  told = []
}
