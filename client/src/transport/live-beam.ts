/**
 * The live channel of one beam: auth, heartbeat and reconnects. Nothing is lost with a socket: what is shared, deleted or
 * removed is sent again on each new one until the server has confirmed it.
 */

import { BeamMemory } from '../protocol/beam-memory'
import {
  type Arrange,
  type AuthExtra,
  type BeamId,
  type BeamKey,
  CLOSE_CODES,
  type ClientMessage,
  type Device,
  type DeviceId,
  type ErrorCode,
  FINAL_CLOSE_CODES,
  type ItemId,
  type KeepTime,
  type LiveItem,
  PING_INTERVAL_MS,
  RECONNECT_ATTEMPTS,
  RECONNECT_DELAY_MS,
  RECONNECT_JITTER_MS,
  type ServerMessage,
  SOCKET_IDLE_MS,
  type SyncPage,
} from '../protocol/bindings'
import { encodeClientMessage, parseServerMessage } from '../protocol/envelope'
import { readUuid, writeUuid } from '../protocol/frames'
import { PendingChanges } from '../protocol/pending-changes'
import { Removals } from '../protocol/removals'
import { SyncPages } from '../protocol/sync-pages'
import { type LiveBeamStatus, reasonOf } from './live-beam-status'
import type { OpenSignalSocket, SignalSocket } from './signal-socket'

export interface LiveBeamEvents {
  onStatus(status: LiveBeamStatus): void
  onMessage(message: ServerMessage): void
  /** All items that the server has, after every connect, and those whose deletion does not count (E4). */
  onSynced(synced: { epoch: string; oldest: number; dropped: number; items: readonly LiveItem[] }): void
  onRelayed(from: DeviceId, frame: ArrayBuffer): void
}

export interface LiveBeamOptions {
  readonly beamId: BeamId
  readonly beamKey: BeamKey | null
  /** What this device says about itself. Called for every connect, because a replaced device takes a new token (S5). */
  readonly auth: (beam: BeamId, takeNewToken: boolean) => AuthExtra
  readonly open: OpenSignalSocket
  readonly random: () => number
  /** Milliseconds of a clock that also runs while the device sleeps. */
  readonly now: () => number
}

const ADDRESS_BYTES = 16
/** Limit for the answer to a ping after the device may have slept. */
export const ANSWER_WITHIN_MS = 3_000
/** A connect that takes longer than this is restarted by the next `wake`: its network may be gone. */
export const CONNECT_WITHIN_MS = 1_000

export class LiveBeam {
  /** What the server has sent of the beam's items, and others of this device's memory. */
  readonly memory = new BeamMemory()
  readonly #options: LiveBeamOptions
  readonly #events: LiveBeamEvents
  #beam: Pick<LiveBeamOptions, 'beamId' | 'beamKey'>
  #socket: SignalSocket | null = null
  /** Counts the sockets, so that late events of an old one are ignored. */
  #generation = 0
  #live = false
  #attempt = 0
  /** Another tab has this device's token. A new one is taken until the server has accepted one. */
  #replaced = false
  #retry: ReturnType<typeof setTimeout> | null = null
  #ping: ReturnType<typeof setInterval> | null = null
  #idle: ReturnType<typeof setTimeout> | null = null
  /** Sends again what the server could not take. */
  #due: ReturnType<typeof setTimeout> | null = null
  #connectedAt = 0
  readonly #pending = new PendingChanges()
  #isSaved = false
  readonly #removals = new Removals()
  /** The changes since the items were requested; null while no `sync` is under way. */
  #sync: { readonly pages: SyncPages; readonly toldBefore: readonly ItemId[] } | null = null

  constructor(options: LiveBeamOptions, events: LiveBeamEvents) {
    this.#options = options
    this.#beam = options
    this.#events = events
    events.onStatus({ status: 'connecting' })
    this.#connect()
  }

  /** Shares a new item, or replaces one of the same id (S9). `to` is the only other device that gets it (S33). */
  share(id: ItemId, message: unknown, extra: string, to?: DeviceId): void {
    const share = this.#pending.share(id, message, extra, to)
    if (this.#live) this.#send(share)
  }

  /** @param extra proves in a sealed beam that a device of it deletes (E4) */
  delete(id: ItemId, message: unknown, extra?: string): void {
    const deletion = this.#pending.delete(id, message, extra)
    this.memory.deleted(id, message)
    if (this.#live) this.#send(deletion)
  }

  /** The items of which the server has neither confirmed nor refused this device's version. */
  get shares(): readonly ItemId[] {
    return this.#pending.shares()
  }

  /** The items whose deletion the server has neither confirmed nor refused. */
  get deletions(): readonly ItemId[] {
    return this.#pending.deletions()
  }

  /** Saves the beam to the account, or renames a saved one (S21, S23). Returns false when there is no connection. */
  save(name: string): boolean {
    if (this.#live) this.#send({ type: 'save_beam', message: name })
    return this.#live
  }

  /** Tells the beam the name that this device has now (S32). Without a connection, the next `auth` tells it. */
  rename(name: string): void {
    if (this.#live) this.#send({ type: 'rename_device', message: name })
  }

  /** Keeps the beam for so long from now, or no longer (S30). Returns false when there is no connection. */
  keep(time: KeepTime | null): boolean {
    if (this.#live) this.#send({ type: 'keep', message: time })
    return this.#live
  }

  /** Changes the shared arrangement (S35). Returns false when there is no connection. */
  arrange(message: Arrange): boolean {
    if (this.#live) this.#send({ type: 'arrange', message })
    return this.#live
  }

  /** Removes a device from the beam (S25). Returns false when there is no connection. */
  removeDevice(device: DeviceId): boolean {
    if (!this.#live) return false
    this.#removals.ask(device)
    this.#send({ type: 'remove_device', message: device })
    return true
  }

  /** Whether this page has asked to remove one of these devices, and was not refused. */
  hasRemoved(devices: readonly DeviceId[]): boolean {
    return this.#removals.has(devices)
  }

  /**
   * Takes an error that names a device. Returns true when it answers the removal of that device, and false when it
   * concerns a signal or a frame.
   */
  refusedRemoval(device: DeviceId, why: ErrorCode): boolean {
    return this.#removals.refused(device, why)
  }

  /** Sends a signal to a device. It is lost while the socket is down: links are then set up again. */
  signal(to: DeviceId, message: unknown): void {
    if (this.#live) this.#send({ type: 'signal', message, extra: { to } })
  }

  /** Sends a device what lets one of the two in (E6). It is lost while the socket is down. */
  e2e(to: DeviceId, message: unknown): void {
    if (this.#live) this.#send({ type: 'e2e', message, extra: { to } })
  }

  /** Asks for all items again, because more of them can be opened now. */
  resync(): void {
    if (this.#live && this.#sync === null) this.#askForEverything()
  }

  /** Sends a frame through the server (R1). */
  relay(to: DeviceId, frame: ArrayBuffer): void {
    if (!this.#live) return
    const bytes = new Uint8Array(ADDRESS_BYTES + frame.byteLength)
    writeUuid(bytes, 0, to)
    bytes.set(new Uint8Array(frame), ADDRESS_BYTES)
    this.#socket?.send(bytes)
  }

  /** Bytes handed to the socket that it has not sent yet. */
  get unsent(): number {
    return this.#socket?.unsent() ?? 0
  }

  /**
   * Connects without further delay, because the network is back, the page is visible again, or the person asks. An open
   * socket may have died while the device slept: it is pinged, and replaced when no answer comes soon. A connect that
   * hangs is restarted.
   */
  wake(): void {
    if (!this.#socket) return this.rejoin()
    if (!this.#live) {
      if (this.#options.now() - this.#connectedAt > CONNECT_WITHIN_MS) this.rejoin()
      return
    }
    this.#socket.send('ping')
    this.#awaitAnswer()
  }

  /** Waits for the answer to a ping, on a slow line for as long as the socket still sends what was before it. */
  #awaitAnswer(): void {
    const before = this.unsent
    if (this.#idle !== null) clearTimeout(this.#idle)
    this.#idle = setTimeout(
      () => (this.unsent < before ? this.#awaitAnswer() : this.#replace()),
      ANSWER_WITHIN_MS,
    )
  }

  /** Joins again, with the login that there is now. */
  rejoin(): void {
    this.#attempt = 0
    this.#connect()
  }

  /** Opens a new socket without waiting for the old one to close, which a dead socket does late or never. */
  #replace(): void {
    this.#attempt = 1
    this.#events.onStatus({ status: 'reconnecting', attempt: this.#attempt, of: RECONNECT_ATTEMPTS })
    this.#connect()
  }

  leave(): void {
    this.#end()
  }

  /** Joins the beam under its new id (H28). Unconfirmed changes go along. */
  move(beamId: BeamId, beamKey: BeamKey | null): void {
    this.#beam = { beamId, beamKey }
    this.#events.onStatus({ status: 'connecting' })
    this.rejoin()
  }

  #connect(): void {
    this.#end()
    this.#connectedAt = this.#options.now()
    const generation = this.#generation
    const isCurrent = () => generation === this.#generation
    this.#socket = this.#options.open(this.#beam.beamId, {
      onOpen: () => isCurrent() && this.#opened(),
      onText: (text) => isCurrent() && this.#text(text),
      onBinary: (bytes) => isCurrent() && this.#binary(bytes),
      onClose: (code) => isCurrent() && this.#closed(code),
    })
    this.#heard()
  }

  #opened(): void {
    this.#send({
      type: 'auth',
      message: this.#beam.beamKey,
      extra: this.#options.auth(this.#beam.beamId, this.#replaced),
    })
    // The server reads in order (S1), so `sync` can be sent before the welcome unless changes have to go first.
    if (this.#pending.isEmpty) this.#askForEverything()
    this.#ping = setInterval(() => this.#socket?.send('ping'), PING_INTERVAL_MS)
  }

  #text(text: string): void {
    this.#heard()
    if (text === 'pong') return
    const message = parseServerMessage(text)
    if (!message) return
    if (this.#isNews(message)) this.#events.onMessage(message)
    if (message.type === 'authed_users') this.#listed(message.message)
  }

  /** A server that takes a device from the list, and says nothing of its removal, must not leave it the keys (E15). */
  #listed(devices: readonly Device[]): void {
    const gone = this.#removals.listed(devices)
    if (gone.length > 0) this.#events.onMessage({ type: 'devices_removed', message: [...gone] })
  }

  /** Takes note of a message. Returns false when the page need not hear of it. */
  #isNews(message: ServerMessage): boolean {
    switch (message.type) {
      case 'auth_success':
        this.#welcomed()
        return true
      case 'rec_clipboard':
        if (this.#sync) this.#sync.pages.received(message)
        else this.memory.received(message)
        return this.#pending.received(message)
      case 'delete_note':
        this.#sync?.pages.deleted(message)
        this.memory.taken(message.id, message.message)
        return message.id === undefined || this.#pending.deleted(message.id)
      case 'error':
        return message.id === undefined || this.#isFinal(message.id, message.extra)
      case 'sync':
        this.#page(message.message)
        return false
      case 'wanted':
        for (const item of this.memory.findAll(message.message))
          this.#send({ type: 'restore', message: item })
        return false
      case 'welcome':
        this.#isSaved = message.message.saved !== null
        return true
      case 'beam_saved':
        this.#isSaved = true
        return true
      case 'devices_removed':
        return this.#removals.removed(message.message)
      default:
        return true
    }
  }

  #welcomed(): void {
    this.#live = true
    this.#replaced = false
    this.#attempt = 0
    this.#events.onStatus({ status: 'live' })
    for (const message of this.#pending.messages()) this.#send(message)
    for (const device of this.#removals.asked) this.#send({ type: 'remove_device', message: device })
    if (this.#sync === null) this.#askForEverything()
  }

  /**
   * Takes a refusal of a change (S14): sends it again later, or drops it for good. If the page already shows a dropped
   * change, requests the items again.
   */
  #isFinal(id: ItemId, why: ErrorCode): boolean {
    if (this.#pending.postponed(id, why, this.#options.now())) {
      this.#awaitDue()
      return false
    }
    if (this.#pending.refused(id) && this.#sync === null) this.#askForEverything()
    return true
  }

  /** Sends each postponed change when it is due. */
  #awaitDue(): void {
    if (this.#due !== null) clearTimeout(this.#due)
    this.#due = null
    const next = this.#pending.nextDue
    if (next === null) return
    const send = () => {
      for (const message of this.#pending.due(this.#options.now())) this.#send(message)
      this.#awaitDue()
    }
    this.#due = setTimeout(send, Math.max(0, next - this.#options.now()))
  }

  #askForEverything(): void {
    this.#sync = { pages: new SyncPages(), toldBefore: this.#pending.deletions() }
    this.#send({ type: 'sync', message: { after: null } })
  }

  #page(page: SyncPage): void {
    if (this.#sync === null) return
    const { pages, toldBefore } = this.#sync
    pages.add(page)
    if (page.next !== null) return this.#send({ type: 'sync', message: { after: page.next } })
    this.#sync = null
    this.memory.synced(page.oldest, pages.items())
    const items = [...this.#pending.synced(pages.items(), toldBefore), ...this.memory.doubted]
    const { epoch, oldest, dropped } = page
    this.#events.onSynced({ epoch, oldest, dropped, items })
    // What the server may have lost (S28). What this device is about to delete stays away.
    const held = this.#isSaved ? null : this.memory.held(this.#pending.deletions())
    if (held) this.#send({ type: 'held', message: held })
  }

  #binary(bytes: ArrayBuffer): void {
    this.#heard()
    if (bytes.byteLength <= ADDRESS_BYTES) return
    const from = readUuid(new Uint8Array(bytes, 0, ADDRESS_BYTES)) as DeviceId
    this.#events.onRelayed(from, bytes.slice(ADDRESS_BYTES))
  }

  /** Any message proves that the socket lives. */
  #heard(): void {
    if (this.#idle !== null) clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.#closed(CLOSE_CODES.Idle), SOCKET_IDLE_MS)
  }

  #closed(code: number): void {
    this.#end()
    if (FINAL_CLOSE_CODES.includes(code)) {
      return this.#events.onStatus({ status: 'stopped', why: reasonOf(code) })
    }
    this.#replaced ||= code === CLOSE_CODES.Replaced
    if (this.#attempt >= RECONNECT_ATTEMPTS) {
      return this.#events.onStatus({ status: 'stopped', why: 'unreachable' })
    }
    this.#attempt += 1
    this.#events.onStatus({ status: 'reconnecting', attempt: this.#attempt, of: RECONNECT_ATTEMPTS })
    const delay = RECONNECT_DELAY_MS + this.#options.random() * RECONNECT_JITTER_MS
    this.#retry = setTimeout(() => this.#connect(), delay)
  }

  #end(): void {
    this.#generation += 1
    this.#live = false
    this.#sync = null
    this.#socket?.close()
    this.#socket = null
    for (const timer of [this.#retry, this.#idle, this.#due]) if (timer !== null) clearTimeout(timer)
    if (this.#ping !== null) clearInterval(this.#ping)
    this.#retry = null
    this.#idle = null
    this.#due = null
    this.#ping = null
  }

  #send(message: ClientMessage): void {
    this.#socket?.send(encodeClientMessage(message))
  }
}
