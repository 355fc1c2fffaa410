/** The connection to one beam: opens the live channel and passes its messages to the stores. */
import { t } from '@lingui/core/macro'
import { paths } from '../features/paths'
import { inLanguage } from '../languages/refusals'
import type {
  BeamId,
  BeamKey,
  Cap,
  DeviceId,
  ErrorCode,
  ItemId,
  Kept,
  SavedBeam,
  ServerMessage,
} from '../protocol/bindings'
import { mayRemoveDevices } from '../stores/beam-access'
import type { BeamSession } from '../stores/beam-session'
import { SEALING } from '../stores/devices'
import { type ItemsEvent, type ItemsState, reduceItems } from '../stores/items'
import { isStored, type KeepingEvent, reduceKeeping } from '../stores/keeping'
import { reduceTransfers } from '../stores/transfers'
import { deposited } from '../stores/vault'
import { hasRtc } from '../transport/has-rtc'
import { LiveBeam, type LiveBeamEvents, type LiveBeamOptions } from '../transport/live-beam'
import type { LiveBeamStatus } from '../transport/live-beam-status'
import type { PeerLinks } from '../transport/peer-links'
import type { SecretsDoor } from '../transport/secrets-door'
import { openSignalSocket } from '../transport/signal-socket'
import { AccessNews } from './access-news'
import { isLoggedIn } from './account-known'
import { AddressedItems } from './addressed-items'
import { type BeamChannel, ClearChannel } from './beam-channel'
import { moveEntries } from './beam-entries'
import { type BeamNotes, createBeamNotes } from './beam-notes'
import {
  asksBefore,
  followTrust,
  learnIn,
  learnShutOut,
  learnTrust,
  learnTurnedAway,
  learnUnverified,
  learnWelcome,
  loadTrust,
} from './beam-trust'
import { ClearCopies, followClearCopies, loadClearCopies } from './clear-copies'
import type { PageContext } from './context'
import { DeviceLinks } from './device-links'
import { deviceToken } from './device-tokens'
import { OlderItems } from './older-items'
import { OpeningStage } from './opening-stage'
import { ownDeviceName } from './own-device'
import { SealedBeam } from './sealed-beam'
import { isInsecure, isSealing } from './sealing-choice'
import { updateSession } from './session-storage'
import { SharedPlaces } from './shared-places'
import { endTransfersOf } from './transfer-news'
import { pause } from './until-told'
import type { WaysIn } from './ways-in'

export interface BeamConnectionEvents {
  onStatus(status: LiveBeamStatus): void
  /** Called when items may be new, because small files among them are received without a tap. */
  onItems(): void
}

/** For so many milliseconds another device's Undo gives back what was received here. Its toast stays for ten seconds. */
const UNDO_MS = 30_000

/** So long a person who saves a beam waits for its keys to be kept too, which goes on after that. In milliseconds. */
const KEYS_WITHIN_MS = 5_000

/** Joins a beam, and keeps the stores up to date until `leave`. */
export class BeamConnection {
  readonly live: LiveBeam
  readonly channel: BeamChannel
  /** The ways into the beam; null where this page does not seal. */
  ways: WaysIn | null = null
  readonly devices: DeviceLinks
  readonly #context: PageContext
  readonly #events: BeamConnectionEvents
  readonly #access: AccessNews
  readonly #notes: BeamNotes
  readonly places: SharedPlaces
  readonly #opening: OpeningStage
  readonly #older: OlderItems
  readonly #addressed: AddressedItems
  #beamId: BeamId
  /** Ends once the keys of the saved beam are where they go, for all that is known of it. */
  #keysKept: Promise<void> = Promise.resolve()

  #hasLeft = false

  constructor(
    session: BeamSession,
    context: PageContext,
    secrets: SecretsDoor,
    events: BeamConnectionEvents,
  ) {
    const { stores, transfers, toaster } = context
    this.#context = context
    this.#events = events
    this.#beamId = session.beamId
    this.#access = new AccessNews(stores, toaster)
    if (isInsecure()) stores.encryption.setState({ kind: 'insecure', isShutOut: false }, true)
    this.channel = isSealing() ? this.#sealed(session, secrets) : new ClearChannel(() => this.live)
    this.#opening = new OpeningStage(this.channel, (arrived) => this.#showItems(arrived))
    this.#notes = createBeamNotes(
      () => this.#beamId,
      stores,
      toaster,
      (marks) => this.#opening.push({ type: 'notes', marks }),
    )
    this.#older = new OlderItems(
      stores,
      toaster,
      () => this.live,
      (to, message) => this.channel.signal(to, message),
      (items) => {
        for (const item of items) this.#opening.push({ type: 'received', item, note: null })
      },
    )
    this.#addressed = new AddressedItems(stores, this.channel)
    this.devices = new DeviceLinks(stores, transfers, (to, message) => this.channel.signal(to, message))
    this.places = new SharedPlaces(stores, toaster, (change) => this.live.arrange(change))
    this.live = new LiveBeam(liveOptions(session), this.#liveEvents())
  }

  get links(): PeerLinks {
    return this.devices.peers
  }

  /** Saves the beam to the account. Resolves to null once it is saved, else to the reason why not. */
  async save(name: string): Promise<string | null> {
    const refusal = await this.#access.save(() => this.live.save(name))
    // A page that is left at once would leave a beam that no other device of its person can open.
    if (refusal === null) await Promise.race([this.#keysKept, pause(KEYS_WITHIN_MS)])
    return refusal
  }

  /** Tells the beam the name that this device has now. */
  rename(name: string): void {
    this.live.rename(name)
    this.channel.renamed()
  }

  /** Follows the beam to its new id. Items stay; the server sends a new device list. */
  move(beamId: BeamId, beamKey: BeamKey | null, isMine: boolean): void {
    moveEntries(this.#beamId, beamId)
    followTrust(this.#context.stores, beamId)
    // Another tab may have followed first, and the choices of before were not there any more.
    followClearCopies(this.#context.stores, beamId, this.#context.transfers)
    this.#beamId = beamId
    this.#access.lost()
    this.devices.cut()
    this.channel.move(beamId, isMine)
    this.live.move(beamId, beamKey)
  }

  leave(): void {
    const { stores, transfers } = this.#context
    this.#hasLeft = true
    this.live.leave()
    this.channel.end()
    this.places.end()
    this.#notes.end()
    this.#opening.end()
    this.#older.end()
    this.#access.lost()
    this.devices.cut()
    transfers.tell({ do: 'relay', use: null })
    stores.access.setState({ kind: 'unknown' }, true)
    this.#tellKeeping({ type: 'left' })
    stores.items.setState((state) => reduceItems(state, { type: 'left' }), true)
    stores.transfers.setState((state) => reduceTransfers(state, { type: 'left' }), true)
    transfers.forgetDeleted()
  }

  #liveEvents(): LiveBeamEvents {
    const { transfers, stores } = this.#context
    return {
      onStatus: (status) => this.#changed(status),
      onMessage: (message) => this.#receive(message),
      onSynced: ({ dropped, ...synced }) => {
        this.channel.synced(synced.items, dropped)
        this.#addressed.synced(synced.epoch, synced.items)
        this.#opening.push({
          type: 'synced',
          ...synced,
          markOf: (id) => this.#notes.listedMark(id),
          isStored: isStored(stores.access.getState(), stores.keeping.getState()),
        })
        this.#older.synced(synced.oldest, dropped, synced.items)
      },
      onRelayed: (from, frame) => transfers.tell({ do: 'relayed', from, frame }, [frame]),
    }
  }

  #changed(status: LiveBeamStatus): void {
    if (status.status === 'live') void this.#notes.load()
    else {
      this.channel.disconnected()
      this.#context.transfers.tell({ do: 'relay', use: null })
      this.#access.lost()
    }
    if (status.status === 'stopped') {
      this.#access.shutOut()
      this.#notes.end()
      this.#opening.push({ type: 'notesGone' })
      // This device may no longer be in the beam, so its direct links end as well.
      if (status.why === 'forbidden' || status.why === 'logged-out') this.devices.cut()
    }
    this.#events.onStatus(status)
  }

  #receive(message: ServerMessage): void {
    switch (message.type) {
      case 'auth_success':
        if (isOfBeam(location.pathname)) this.#context.toaster.ok(t`Beaming`)
        return
      case 'welcome':
        if (message.message.limits) this.#context.stores.limits.setState(message.message.limits, true)
        this.#context.transfers.tell({ do: 'relay', use: message.message.relay ?? 'fallback' })
        this.#access.hear(message)
        learnWelcome(this.#context.stores, this.#beamId, message.message.join_policy)
        this.#isSaved(message.message.saved)
        // Whoever asked to keep it has shared its keys then.
        this.channel.kept(message.message.kept !== undefined, false)
        this.places.welcomed()
        this.channel.welcomed(message.message.device_id)
        return this.devices.welcome(message.message.device_id, message.message.ice_servers)
      case 'ice_servers':
        return this.devices.peers.renew(message.message)
      case 'authed_users':
        this.#tellKeeping({ type: 'devices', count: message.message.length })
        this.channel.listed(message.message)
        this.devices.list(message.message, this.channel)
        return this.#addressed.listed()
      case 'devices_removed':
        return this.#removed(message.message)
      case 'rec_clipboard':
        return this.#opening.push({ type: 'received', item: message, note: this.#notes.markOf(message.from) })
      case 'delete_note':
        return this.#opening.push({
          type: 'deleted',
          message: message.message,
          extra: message.extra,
          id: message.id,
        })
      case 'beam_saved':
        // The live items have become notes.
        this.#access.hear(message)
        this.#isSaved(message.message)
        return void this.#notes.load()
      case 'keys_changed':
        return this.channel.keysChanged()
      case 'arranged':
        return this.places.hear(message.message)
      case 'kept':
        this.#isKept(message.message)
        return this.#access.hear(message)
      case 'beam_renamed':
      case 'access_changed':
        return this.#access.hear(message)
      case 'signal':
        return this.channel.signalled(message.extra.from, message.message, (signal) => {
          if (this.#older.heard(message.extra.from, signal)) return
          this.devices.peers.handleSignal(message.extra.from, signal)
        })
      case 'e2e':
        return this.channel.heard(message.extra.from, message.message)
      case 'error':
        return this.#refused(message)
      case 'sync':
      case 'wanted':
        return
    }
  }

  #sealed(session: BeamSession, secrets: SecretsDoor): SealedBeam {
    const { stores, transfers } = this.#context
    loadTrust(stores, session.beamId)
    loadClearCopies(stores, session.beamId)
    const copies = new ClearCopies(
      stores,
      transfers,
      () => this.live,
      () => this.#beamId,
    )
    const sealed = new SealedBeam(session, secrets, () => this.live, copies, {
      onChange: (encryption) => stores.encryption.setState(encryption, true),
      onLearnt: (learnt) => this.#learnt(learnt),
      onKeyed: () => this.#keyed(),
      onDeposited: () => stores.vault.setState(deposited),
      onOpenable: () => this.live.resync(),
      onMissing: (count) => stores.missing.setState({ count }, true),
      onTrust: (device, trust) => learnTrust(stores, this.#beamId, device, trust),
      onIn: (device, signs) => learnIn(stores, this.#beamId, device, signs),
      onTurnedAway: (device, why) => learnTurnedAway(stores, device, why),
      onName: (device, name) => this.devices.name(device, name),
      knowsName: (device) => stores.devices.getState().said[device] !== undefined,
      ownName: ownDeviceName,
      asksBefore: () => asksBefore(stores),
      onShutOut: (devices) => learnShutOut(stores, this.#beamId, devices),
      onUnverified: (devices) => learnUnverified(stores, devices),
      isUnverified: (device) => stores.trust.getState().devices[device]?.state === 'unverified',
      mayRemove: () => mayRemoveDevices(stores.access.getState()),
      isLoggedIn: () => isLoggedIn(stores),
    })
    this.ways = sealed.ways
    return sealed
  }

  /** What a later page has to know of the beam, and its link. */
  #learnt(learnt: Pick<BeamSession, 'invite' | 'isSealed'>): void {
    const { session } = this.#context.stores
    const state = session.getState()
    if (state.status !== 'set' || state.session.beamId !== this.#beamId) return
    const known = { ...state.session, ...learnt }
    updateSession(this.#beamId, known)
    session.setState({ status: 'set', session: known }, true)
  }

  /** What was sealed can be opened, and links may be made. */
  #keyed(): void {
    const { devices } = this.#context.stores
    this.devices.list(devices.getState().devices, this.channel)
  }

  #isSaved(saved: SavedBeam | null): void {
    const isMine = this.#access.answersSave(saved)
    if (saved) this.#keysKept = this.channel.saved(isMine)
  }

  #isKept(kept: Kept | null): void {
    const { me } = this.#context.stores.devices.getState()
    this.channel.kept(kept !== null, kept === null || kept.by === me)
  }

  #refused({ id, to, extra, message }: Extract<ServerMessage, { type: 'error' }>): void {
    const isSignal = to !== undefined && !this.live.refusedRemoval(to, extra)
    // It concerns a signal or frame to another device, which no person asked for.
    if (isSignal) return this.#unreached(to, extra)
    // The device that its person wanted to remove is not here any more: it is to read nothing, as if it had been removed.
    if (to !== undefined && extra === 'device_gone') this.#removed([to])
    const translated = inLanguage(message)
    if (to === undefined && id === undefined && this.#access.refused(translated)) return
    if (id !== undefined) this.#opening.push({ type: 'refused', id, why: message })
    void translated.then((why) => {
      if (this.#hasLeft) return
      this.#context.toaster.bad(why)
      if (id !== undefined && why !== message) this.#opening.push({ type: 'refused', id, why })
    })
    // The live channel brings the item back, which was not deleted after all.
    if (id !== undefined && extra === 'forbidden' && this.#hasNotes()) void this.#notes.load()
  }

  #removed(devices: readonly DeviceId[]): void {
    this.channel.removed(devices)
    this.devices.remove(devices)
  }

  #unreached(to: DeviceId, why: ErrorCode): void {
    this.#context.transfers.tell({ do: 'refused', device: to, why })
    if (why !== 'device_gone') return
    this.links.unreachable(to)
    this.#older.gone(to)
  }

  #tellKeeping(event: KeepingEvent): void {
    this.#context.stores.keeping.setState((state) => reduceKeeping(state, event), true)
  }

  #hasNotes(): boolean {
    return this.#context.stores.access.getState().kind === 'saved'
  }

  #showItems(arrived: readonly ItemsEvent[]): void {
    const { items } = this.#context.stores
    const gone: ItemId[] = []
    const shown = arrived.reduce((before, event) => {
      const after = reduceItems(before, event)
      gone.push(...this.#endedBy(event, before, after))
      return after
    }, items.getState())
    items.setState(shown, true)
    this.#keepForUndo(gone)
    endTransfersOf(gone, this.#context.stores)
    this.#events.onItems()
  }

  /** What another device has deleted it may bring back, so what was received of it stays here for a while. */
  #keepForUndo(gone: readonly ItemId[]): void {
    const { stores } = this.#context
    const put = (type: 'held' | 'letGo', ids: readonly ItemId[]) =>
      stores.transfers.setState((state) => reduceTransfers(state, { type, ids }), true)
    const { held } = stores.transfers.getState()
    // The device that deleted it keeps it for as long as its own Undo is offered.
    put(
      'held',
      gone.filter((id) => !held.has(id)),
    )
    const ids = gone.filter((id) => !held.has(id) && stores.transfers.getState().held.has(id))
    if (ids.length === 0) return
    setTimeout(() => {
      put('letGo', ids)
      endTransfersOf(missing(ids, stores.items.getState()), stores)
    }, UNDO_MS)
  }

  /** Returns the items that an event ends for good, with their transfers. */
  #endedBy(event: ItemsEvent, before: ItemsState, after: ItemsState): readonly ItemId[] {
    switch (event.type) {
      case 'received':
      case 'notesGone':
        // Notes of an inaccessible beam are only hidden, and their transfers go on.
        return []
      case 'deleted':
        // Deleted from here, it has left the list before the server confirmed it.
        return [...missing(idsOf(before), after), ...(event.id === undefined ? [] : [event.id])]
      case 'synced': {
        const { transfers } = this.#context.stores.transfers.getState()
        const asked = new Set(this.live.deletions)
        return missing(Object.keys(transfers) as ItemId[], after).filter((id) => !asked.has(id))
      }
      default:
        return missing(idsOf(before), after)
    }
  }
}

/** Whether the page at this path shows the beam. */
function isOfBeam(path: string): boolean {
  return path === paths.home || path === paths.space || path === paths.join
}

function idsOf({ items }: ItemsState): readonly ItemId[] {
  return items.map(({ id }) => id)
}

function missing(ids: readonly ItemId[], after: ItemsState): readonly ItemId[] {
  const kept = new Set(idsOf(after))
  return ids.filter((id) => !kept.has(id))
}

function liveOptions({ beamId, beamKey }: BeamSession): LiveBeamOptions {
  return {
    beamId,
    beamKey,
    auth: (beam, takeNewToken) => ({
      v: 1,
      caps: ownCaps(),
      name: ownDeviceName(),
      device_token: deviceToken(beam, takeNewToken),
    }),
    open: openSignalSocket,
    random: Math.random,
    now: () => Date.now(),
  }
}

function ownCaps(): Cap[] {
  const caps: Cap[] = ['files']
  if (hasRtc()) caps.push('rtc')
  if (isSealing()) caps.push(SEALING)
  return caps
}
