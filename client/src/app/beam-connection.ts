/** Being in a beam: the live channel, and what comes through it into which store. */
import type { BeamId, BeamKey, DeviceId, ErrorCode, ServerMessage } from '../protocol/bindings'
import type { Item } from '../protocol/item'
import type { BeamSession } from '../stores/beam-session'
import { type ItemsEvent, type ItemsState, reduceItems } from '../stores/items'
import { reduceTransfers } from '../stores/transfers'
import { hasRtc } from '../transport/has-rtc'
import {
  LiveBeam,
  type LiveBeamEvents,
  type LiveBeamOptions,
  type LiveBeamStatus,
} from '../transport/live-beam'
import type { PeerLinks } from '../transport/peer-links'
import { openSignalSocket } from '../transport/signal-socket'
import { AccessNews } from './access-news'
import { type BeamNotes, createBeamNotes } from './beam-notes'
import type { PageContext } from './context'
import { DeviceLinks } from './device-links'
import { deviceName } from './device-name'
import { clearTextOpener, OpeningStage } from './opening-stage'
import { deviceToken } from './session-storage'
import { endTransfersOf } from './transfer-news'

export interface BeamConnectionEvents {
  onStatus(status: LiveBeamStatus): void
  /** Items may be new: files among them may be received by themselves. */
  onItems(): void
}

/** Joins a beam, and keeps the stores true until `leave`. */
export class BeamConnection {
  readonly live: LiveBeam
  readonly devices: DeviceLinks
  readonly #context: PageContext
  readonly #events: BeamConnectionEvents
  readonly #access: AccessNews
  readonly #notes: BeamNotes
  readonly #opening: OpeningStage
  #beamId: BeamId

  constructor(session: BeamSession, context: PageContext, events: BeamConnectionEvents) {
    const { stores, transfers, toaster } = context
    this.#context = context
    this.#events = events
    this.#beamId = session.beamId
    this.#access = new AccessNews(stores, toaster)
    this.#opening = new OpeningStage(clearTextOpener, (arrived) => this.#showItems(arrived))
    this.#notes = createBeamNotes(
      () => this.#beamId,
      stores,
      toaster,
      (notes) => this.#opening.push({ type: 'notes', notes }),
    )
    this.devices = new DeviceLinks(stores.devices, transfers, (to, message) => this.live.signal(to, message))
    this.live = new LiveBeam(liveOptions(session), this.#liveEvents())
  }

  get links(): PeerLinks {
    return this.devices.peers
  }

  /** Takes the beam into the account. Resolves to null once it is saved, else to why it is not. */
  save(name: string): Promise<string | null> {
    return this.#access.save(() => this.live.save(name))
  }

  /** The beam has another id: what is here stays, and those who are still in it come anew. */
  move(beamId: BeamId, beamKey: BeamKey | null): void {
    this.#beamId = beamId
    this.#access.lost()
    this.devices.cut()
    this.live.move(beamId, beamKey)
  }

  leave(): void {
    const { stores, transfers } = this.#context
    this.live.leave()
    this.#notes.end()
    this.#opening.end()
    this.#access.lost()
    this.devices.cut()
    transfers.tell({ do: 'relay', up: false })
    stores.access.setState({ kind: 'unknown' }, true)
    stores.items.setState((state) => reduceItems(state, { type: 'left' }), true)
    stores.transfers.setState((state) => reduceTransfers(state, { type: 'left' }), true)
  }

  #liveEvents(): LiveBeamEvents {
    const { transfers } = this.#context
    return {
      onStatus: (status) => this.#changed(status),
      onMessage: (message) => this.#receive(message),
      onSynced: (synced) =>
        this.#opening.push({ type: 'synced', ...synced, note: this.#isSaved() ? { mine: false } : null }),
      onRelayed: (from, frame) => transfers.tell({ do: 'relayed', from, frame }, [frame]),
    }
  }

  #changed(status: LiveBeamStatus): void {
    this.#context.transfers.tell({ do: 'relay', up: status.status === 'live' })
    if (status.status === 'live') void this.#notes.load()
    else this.#access.lost()
    if (status.status === 'stopped') {
      this.#notes.end()
      this.#opening.push({ type: 'notesGone' })
      // This device may not be in the beam any more: its links end as well.
      if (status.why === 'forbidden' || status.why === 'logged-out') this.devices.cut()
    }
    this.#events.onStatus(status)
  }

  #receive(message: ServerMessage): void {
    switch (message.type) {
      case 'auth_success':
        this.#context.toaster.ok('Beaming')
        return
      case 'welcome':
        this.#access.hear(message)
        return this.devices.welcome(message.message.device_id, message.message.ice_servers)
      case 'authed_users':
        return this.devices.list(message.message)
      case 'rec_clipboard':
        return this.#opening.push({ type: 'received', item: message, note: this.#notes.markOf(message.from) })
      case 'delete_note':
        this.#opening.push({ type: 'deleted', message: message.message, id: message.id })
        return this.#reloadNotes()
      case 'beam_saved':
        // What was live until now has become notes.
        this.#access.hear(message)
        return void this.#notes.load()
      case 'beam_renamed':
      case 'access_changed':
        return this.#access.hear(message)
      case 'signal':
        return this.devices.peers.handleSignal(message.extra.from, message.message)
      case 'error':
        return this.#refused(message)
      case 'sync':
        return
    }
  }

  #refused({ id, to, extra, message }: Extract<ServerMessage, { type: 'error' }>): void {
    // A signal or a frame for another device is nothing that a person has asked for.
    if (to !== undefined) return this.#unreached(to, extra)
    if (id === undefined) {
      if (!this.#access.refused(message)) this.#context.toaster.bad(message)
      return
    }
    this.#opening.push({ type: 'refused', id, why: message })
    this.#context.toaster.bad(message)
    // What was not deleted after all comes back as a note of whoever it was.
    if (extra === 'forbidden') this.#reloadNotes()
  }

  #unreached(to: DeviceId, why: ErrorCode): void {
    this.#context.transfers.tell({ do: 'refused', device: to, why })
    if (why === 'device_gone') this.links.unreachable(to)
  }

  /** An unsaved beam has no notes: its list need not be read again. */
  #reloadNotes(): void {
    if (this.#isSaved()) void this.#notes.load()
  }

  #isSaved(): boolean {
    return this.#context.stores.access.getState().kind === 'saved'
  }

  #showItems(arrived: readonly ItemsEvent[]): void {
    const { items } = this.#context.stores
    const gone: Item[] = []
    const shown = arrived.reduce((before, event) => {
      const after = reduceItems(before, event)
      // Notes of a beam that is out of reach are hidden, not deleted.
      if (event.type !== 'notesGone' && event.type !== 'received') gone.push(...missing(before, after))
      return after
    }, items.getState())
    items.setState(shown, true)
    endTransfersOf(gone, this.#context.stores)
    this.#events.onItems()
  }
}

function missing(before: ItemsState, after: ItemsState): readonly Item[] {
  const kept = new Set(after.items.map(({ id }) => id))
  return before.items.filter(({ id }) => !kept.has(id))
}

/** An item that was deleted takes its transfer with it. */
function liveOptions({ beamId, beamKey }: BeamSession): LiveBeamOptions {
  return {
    beamId,
    beamKey,
    auth: (beam, takeNewToken) => ({
      v: 1,
      caps: hasRtc() ? ['files', 'rtc'] : ['files'],
      name: deviceName(navigator.userAgent),
      device_token: deviceToken(beam, takeNewToken),
    }),
    open: openSignalSocket,
    random: Math.random,
    now: () => Date.now(),
  }
}
