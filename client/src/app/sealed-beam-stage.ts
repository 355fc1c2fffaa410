/** Pages in a sealed beam, whose server is the test. */
import { expect, vi } from 'vitest'
import { toBase64Url } from '../crypto/bytes'
import type { KeptShared } from '../crypto/shared-keys'
import { BeamMemory } from '../protocol/beam-memory'
import type { BeamId, Device, DeviceId, ItemId, LiveItem } from '../protocol/bindings'
import type { Item } from '../protocol/item'
import { createClearCopiesStore } from '../stores/clear-copies'
import { createDevicesStore, type DevicesEvent, deviceName, reduceDevices } from '../stores/devices'
import type { Encryption } from '../stores/encryption'
import { createTransfersStore } from '../stores/transfers'
import type { Trust, TurnedAway } from '../stores/trust'
import type { LiveBeam } from '../transport/live-beam'
import type { Deposits } from '../transport/saved-beam-secrets'
import { Secrets } from '../transport/secrets'
import { ClearCopies } from './clear-copies'
import { SealedBeam } from './sealed-beam'

export const BEAM = '0b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
export const ADA = '11234567-89ab-8cde-8f01-23456789abcd' as DeviceId
export const BOB = '21234567-89ab-8cde-8f01-23456789abcd' as DeviceId
export const EVE = '31234567-89ab-8cde-8f01-23456789abcd' as DeviceId
export const CLEO = '51234567-89ab-8cde-8f01-23456789abcd' as DeviceId
export const ITEM = '01234567-89ab-4cde-8f01-23456789abcd' as ItemId
export const OTHER = '02234567-89ab-4cde-8f01-23456789abcd' as ItemId

export const CLEAR: LiveItem = { id: OTHER, seq: 1, from: ADA, at: 1, message: 'clear', extra: 'text' }

/** Keys are made and opened in other threads, which a machine that is in use lets wait. */
const SLOWLY = { timeout: 5_000 }

/** Has the form of an envelope, which anybody can make. */
export const LOOKALIKE = `e2e1.${toBase64Url(Uint8Array.of(1, ...new Uint8Array(304)))}`

interface Told {
  readonly type: 'share' | 'delete' | 'signal' | 'e2e'
  readonly from: DeviceId
  readonly to?: DeviceId | undefined
  readonly id?: ItemId
  readonly message: unknown
  readonly extra?: string | undefined
}

/** The server: it keeps all it is told, and forwards what lets devices in, and signals where it is to. */
export class Server {
  forwardsSignals = false
  readonly told: Told[] = []
  readonly pages = new Map<DeviceId, Page>()

  of(type: Told['type']): readonly Told[] {
    return this.told.filter((one) => one.type === type)
  }

  /** What lets devices in, without what those that are in tell each other (E15). */
  get ways(): readonly Told[] {
    const isOfKeys = ({ message }: Told) => ['device', 'keys'].includes((message as { op: string }).op)
    return this.of('e2e').filter((told) => !isOfKeys(told))
  }

  hears(told: Told): void {
    this.told.push(told)
    const to = told.to && this.pages.get(told.to)?.channel
    if (told.type === 'e2e' && to) to.heard(told.from, told.message)
    if (told.type === 'signal' && to && this.forwardsSignals) to.signalled(told.from, told.message, () => {})
  }

  /** Tells every page which devices are here, and that nothing else is. */
  lists(...devices: readonly DeviceId[]): void {
    const listed = devices.map(sealing)
    for (const device of devices) this.pages.get(device)?.channel.listed(listed)
    const items = this.of('share').map((_, at) => this.item(at))
    for (const device of devices) this.pages.get(device)?.channel.synced(items)
  }

  /** Returns an item that was shared, as it is sent to everybody. */
  item(at = -1): LiveItem {
    const shared = this.of('share').at(at)
    if (!shared?.id) throw new Error('Nothing was shared.')
    const { id, message, extra = '', from, to } = shared
    return { id, seq: 1, from, at: 1, message, extra, ...(to && { to }) }
  }
}

export function sealing(device_id: DeviceId): Device {
  return { device_id, name: '', caps: ['files', 'e2e1'] }
}

/** A page in the beam, with keys of its own. */
export class Page {
  readonly states: Encryption['kind'][] = []
  isLinkOld = false
  /** Whether it takes the beam for one whose keys the server may have. */
  isDeposited = false
  /** Whether its person may choose to share in clear text. */
  mayShareClear = false
  readonly secrets: Secrets
  readonly channel: SealedBeam
  invite: string | null
  /** Whether a later page knows that the beam is sealed. */
  isKnownSealed = false
  asks = false
  /** The devices that others have told of, and that nobody has compared. */
  unverified: readonly DeviceId[] = []
  /** The removed devices without which it has changed the keys itself. */
  shutOut: readonly DeviceId[] = []
  /** How often its keys were deposited. */
  deposits = 0
  /** What it calls itself. */
  name: string
  mayRemove = false
  isLoggedIn = async () => true
  /** Whether it has asked for the removal of every device that is gone. */
  hasRemoved = false
  readonly in: DeviceId[] = []
  readonly unconfirmed: ItemId[] = []
  readonly memory = new BeamMemory()
  /** How often it has asked for all items again. */
  resyncs = 0
  readonly stores = {
    devices: createDevicesStore(),
    clearCopies: createClearCopiesStore(),
    transfers: createTransfersStore(),
  }
  readonly transfers = { fileOf: vi.fn((_id: ItemId): Blob | null => null), tell: vi.fn() }
  readonly trust: Record<string, Trust | null> = {}
  /** By which devices it was turned away. */
  readonly turnedAway = new Map<DeviceId, TurnedAway | null>()

  constructor(
    server: Server,
    me: DeviceId,
    invite: string | null,
    secrets = newSecrets(),
    wasKnownSealed = false,
  ) {
    this.secrets = secrets
    this.name = `device ${me[0]}`
    this.invite = invite
    const live: Pick<
      LiveBeam,
      'share' | 'delete' | 'signal' | 'e2e' | 'resync' | 'shares' | 'deletions' | 'memory' | 'hasRemoved'
    > = {
      memory: this.memory,
      shares: this.unconfirmed,
      deletions: [],
      hasRemoved: () => this.hasRemoved,
      resync: () => {
        this.resyncs += 1
      },
      share: (id, message, extra, to) => server.hears({ type: 'share', from: me, id, message, extra, to }),
      delete: (id, message, extra) => server.hears({ type: 'delete', from: me, id, message, extra }),
      signal: (to, message) => server.hears({ type: 'signal', from: me, to, message }),
      e2e: (to, message) => server.hears({ type: 'e2e', from: me, to, message }),
    }
    const session = {
      beamId: BEAM,
      beamKey: null,
      beamName: '',
      expiresAt: null,
      invite,
      isSealed: wasKnownSealed,
    }
    const now = () => live as LiveBeam
    const copies = new ClearCopies(this.stores, this.transfers, now, () => BEAM)
    this.#show({ type: 'welcomed', me })
    this.channel = new SealedBeam(session, secrets, now, copies, {
      onChange: (encryption) => this.#shows(encryption),
      onLearnt: ({ invite = this.invite, isSealed = false }) => {
        this.invite = invite
        this.isKnownSealed = isSealed
      },
      onKeyed: () => {},
      onOpenable: () => {
        this.resyncs += 1
      },
      onIn: (device, signs) => this.#isLetIn(device, signs),
      onTrust: (device, trust) => {
        this.trust[device] = trust
      },
      onTurnedAway: (device, why) => this.turnedAway.set(device, why),
      onShutOut: (devices) => {
        this.shutOut = devices
        for (const device of devices) this.trust[device] = null
      },
      onUnverified: (devices) => {
        this.unverified = devices
      },
      onMissing: () => {},
      onDeposited: () => {
        this.deposits += 1
      },
      onName: (device, name) => this.#show({ type: 'said', device, name }),
      knowsName: (device) => this.stores.devices.getState().said[device] !== undefined,
      ownName: () => this.name,
      asksBefore: () => this.asks,
      isUnverified: (device) =>
        this.unverified.includes(device) || this.trust[device]?.state === 'unverified',
      mayRemove: () => this.mayRemove,
      isLoggedIn: () => this.isLoggedIn(),
    })
    server.pages.set(me, this)
    this.channel.welcomed(me)
  }

  #shows(encryption: Encryption): void {
    if (this.states.at(-1) !== encryption.kind) this.states.push(encryption.kind)
    this.mayShareClear = encryption.kind === 'locked' && encryption.mayShareClear
    this.isDeposited = encryption.kind === 'sealed' && encryption.isDeposited
    this.isLinkOld = encryption.kind === 'waiting' && encryption.isLinkOld
  }

  #show(event: DevicesEvent): void {
    this.stores.devices.setState((state) => reduceDevices(state, event), true)
  }

  /** The server tells which devices are here, and their names. */
  listed(devices: readonly Device[]): void {
    this.channel.listed(devices)
    this.#show({ type: 'listed', devices })
  }

  /** Under which names the page shows the devices that are here. */
  get shown(): readonly string[] {
    const state = this.stores.devices.getState()
    return state.devices.map(({ device_id }) => deviceName(state, device_id))
  }

  /** Resolves once the page says that the beam is so for it. */
  async is(kind: Encryption['kind']): Promise<void> {
    await vi.waitFor(() => expect(this.states.at(-1)).toBe(kind), SLOWLY)
  }

  async opens(item: LiveItem): Promise<Item> {
    const opened = await this.channel.open(item, null)
    if (!opened) throw new Error('It is not shown.')
    return opened
  }

  #isLetIn(by: DeviceId, signs: readonly number[]): void {
    this.in.push(by)
    this.trust[by] = { signs, state: 'unverified', isIn: true }
  }

  /** Its person says that a device shows the pictures that are shown here, or those that were. */
  confirms(device: DeviceId, signs = this.trust[device]?.signs ?? []): boolean {
    return this.channel.ways.confirm(device, signs)
  }

  /** Opens an item under a key that this page does not know yet: it asks for the items again once the key has come. */
  async opensLater(item: LiveItem): Promise<Item> {
    const before = this.resyncs
    await expect(this.opens(item)).rejects.toThrow()
    await vi.waitFor(() => expect(this.resyncs).toBeGreaterThan(before), SLOWLY)
    return this.opens(item)
  }
}

/** No keys of any saved beam. */
export function newDeposits(): Deposits {
  return { read: async () => null, write: async () => {} }
}

export function newSecrets(): Secrets {
  const nowhere = { read: async () => null, write: async () => {}, remove: async () => {} }
  return new Secrets(nowhere, newDeposits())
}

/** A worker that keeps its keys. `diesBefore` has it replaced by another one before it is asked this the next time. */
export function mortalSecrets(): { secrets: Secrets; diesBefore(method: keyof Secrets): void } {
  const kept = new Map<BeamId, KeptShared>()
  const store = {
    read: async (beam: BeamId) => kept.get(beam) ?? null,
    write: async (beam: BeamId, keys: KeptShared) => void kept.set(beam, keys),
    remove: async (beam: BeamId) => void kept.delete(beam),
  }
  const start = () => new Secrets(store, newDeposits())
  let worker = start()
  let last: string | symbol | null = null
  const secrets = new Proxy(worker, {
    get: (_, method) => {
      if (method === last) worker = start()
      if (method === last) last = null
      const asked: unknown = Reflect.get(worker, method)
      return typeof asked === 'function' ? asked.bind(worker) : asked
    },
  })
  return {
    secrets,
    diesBefore: (method) => {
      last = method
    },
  }
}

export let server: Server
/** The page that has made the beam. */
export let ada: Page

/** Ada makes a beam. It comes before each test. */
export async function begins(): Promise<void> {
  server = new Server()
  const secrets = newSecrets()
  const { invite } = await secrets.make(BEAM)
  ada = new Page(server, ADA, invite, secrets)
  await ada.is('sealed')
}

/** Bob opens the link and is let in. */
export async function bobJoins(): Promise<Page> {
  const bob = new Page(server, BOB, ada.invite)
  await bob.is('waiting')
  server.lists(ADA, BOB)
  await bob.is('sealed')
  return bob
}

/** Resolves once so many items were shared. */
export async function shared(count = 1): Promise<void> {
  await vi.waitFor(() => expect(server.of('share')).toHaveLength(count), SLOWLY)
}
