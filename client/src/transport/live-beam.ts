/**
 * The live channel of one beam: auth, heartbeat, reconnect, and nothing lost on the way. What is shared while the socket
 * is down is kept and sent when it is back.
 */
import {
  type AuthExtra,
  type BeamId,
  CLOSE_CODES,
  type ClientMessage,
  type DeviceId,
  FINAL_CLOSE_CODES,
  type ItemId,
  type LiveItem,
  PING_INTERVAL_MS,
  RECONNECT_ATTEMPTS,
  RECONNECT_DELAY_MS,
  RECONNECT_JITTER_MS,
  type ServerMessage,
  SOCKET_IDLE_MS,
} from '../protocol/bindings'
import { encodeClientMessage, parseServerMessage } from '../protocol/envelope'
import { readUuid, writeUuid } from '../protocol/frames'
import type { OpenSignalSocket, SignalSocket } from './signal-socket'

/** Why it is not tried again by itself (S19). */
export type StopReason = 'unreachable' | 'logged-out' | 'forbidden' | 'ended'

export type LiveBeamStatus =
  | { status: 'connecting' }
  | { status: 'live' }
  | { status: 'reconnecting'; attempt: number; of: number }
  | { status: 'stopped'; why: StopReason }

export interface LiveBeamEvents {
  onStatus(status: LiveBeamStatus): void
  onMessage(message: ServerMessage): void
  /** Everything the server has, after a connect. */
  onSynced(synced: { epoch: string; oldest: number; items: readonly LiveItem[] }): void
  onRelayed(from: DeviceId, frame: ArrayBuffer): void
}

export interface LiveBeamOptions {
  readonly beamId: BeamId
  readonly beamKey: string | null
  /** What this device says of itself; asked anew for each connect, as a replaced device takes a new token. */
  readonly auth: (takeNewToken: boolean) => AuthExtra
  readonly open: OpenSignalSocket
  readonly random: () => number
}

const ADDRESS_BYTES = 16
/** For the answer to a ping, when the device may just have woken up. */
export const ANSWER_WITHIN_MS = 3_000

export class LiveBeam {
  readonly #options: LiveBeamOptions
  readonly #events: LiveBeamEvents
  #socket: SignalSocket | null = null
  /** Told apart so that late news of an old socket is ignored. */
  #generation = 0
  #live = false
  #attempt = 0
  #replaced = false
  #retry: ReturnType<typeof setTimeout> | null = null
  #ping: ReturnType<typeof setInterval> | null = null
  #idle: ReturnType<typeof setTimeout> | null = null
  /** Shared and not yet echoed, in order. */
  readonly #unconfirmed = new Map<ItemId, ClientMessage>()
  /** Deletes made while the socket was down. */
  #waiting: ClientMessage[] = []
  /** What has come of the beam's items since they were asked for; null while they are not asked for. */
  #synced: LiveItem[] | null = null

  constructor(options: LiveBeamOptions, events: LiveBeamEvents) {
    this.#options = options
    this.#events = events
    events.onStatus({ status: 'connecting' })
    this.#connect()
  }

  /** Shares an item; it is sent again after a reconnect until the server echoed it. */
  share(id: ItemId, message: unknown, extra: string): void {
    const share: ClientMessage = { type: 'share_clipboard', message, extra, id }
    this.#unconfirmed.set(id, share)
    if (this.#live) this.#send(share)
  }

  delete(id: ItemId, message: unknown): void {
    this.#unconfirmed.delete(id)
    const deletion: ClientMessage = { type: 'delete_note', message, id }
    if (this.#live) this.#send(deletion)
    else this.#waiting.push(deletion)
  }

  /** Takes the beam into the account, or renames a saved one (S21, S23); false when nobody hears it now. */
  save(name: string): boolean {
    if (this.#live) this.#send({ type: 'save_beam', message: name })
    return this.#live
  }

  /** Sends a device away (S25); false when nobody hears it now. */
  removeDevice(device: DeviceId): boolean {
    if (this.#live) this.#send({ type: 'remove_device', message: device })
    return this.#live
  }

  /** Sends a signal to a device; lost when the socket is down, links then start anew. */
  signal(to: DeviceId, message: unknown): void {
    if (this.#live) this.#send({ type: 'signal', message, extra: { to } })
  }

  /** Sends a frame through the server (R1). */
  relay(to: DeviceId, frame: ArrayBuffer): void {
    if (!this.#live) return
    const bytes = new Uint8Array(ADDRESS_BYTES + frame.byteLength)
    writeUuid(bytes, 0, to)
    bytes.set(new Uint8Array(frame), ADDRESS_BYTES)
    this.#socket?.send(bytes)
  }

  /**
   * Tries at once: the network is back, the page is seen again, or the person asks. A socket that seems to be open may have
   * died while the device slept: it is asked, and replaced when it does not answer soon.
   */
  wake(): void {
    if (this.#retry !== null || !this.#socket) return this.rejoin()
    if (!this.#live) return
    this.#socket.send('ping')
    if (this.#idle !== null) clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.#replace(), ANSWER_WITHIN_MS)
  }

  /** Joins once more, as whoever is logged in now. */
  rejoin(): void {
    this.#attempt = 0
    this.#connect()
  }

  /** Nobody waits for the end of a socket that is dead. */
  #replace(): void {
    this.#attempt = 1
    this.#events.onStatus({ status: 'reconnecting', attempt: this.#attempt, of: RECONNECT_ATTEMPTS })
    this.#connect()
  }

  leave(): void {
    this.#end()
  }

  #connect(): void {
    this.#end()
    const generation = this.#generation
    const isCurrent = () => generation === this.#generation
    this.#socket = this.#options.open(this.#options.beamId, {
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
      message: this.#options.beamKey,
      extra: this.#options.auth(this.#replaced),
    })
    this.#replaced = false
    // The server reads in order (S1): with nothing to tell it first, its welcome need not be waited for.
    if (this.#untold().length === 0) this.#sync()
    this.#ping = setInterval(() => this.#socket?.send('ping'), PING_INTERVAL_MS)
  }

  #text(text: string): void {
    this.#heard()
    if (text === 'pong') return
    const message = parseServerMessage(text)
    if (!message) return
    if (message.type === 'auth_success') this.#welcomed()
    if (message.type === 'rec_clipboard') this.#unconfirmed.delete(message.id)
    if (message.type === 'sync') this.#page(message.message)
    else this.#events.onMessage(message)
  }

  #welcomed(): void {
    this.#live = true
    this.#attempt = 0
    this.#events.onStatus({ status: 'live' })
    for (const message of this.#untold()) this.#send(message)
    this.#waiting = []
    if (this.#synced === null) this.#sync()
  }

  /** What the server has not heard yet, deletes first. */
  #untold(): ClientMessage[] {
    return [...this.#waiting, ...this.#unconfirmed.values()]
  }

  #sync(): void {
    this.#synced = []
    this.#send({ type: 'sync', message: { after: null } })
  }

  #page(page: Extract<ServerMessage, { type: 'sync' }>['message']): void {
    if (this.#synced === null) return
    this.#synced.push(...page.items)
    if (page.next !== null) this.#send({ type: 'sync', message: { after: page.next } })
    else this.#events.onSynced({ epoch: page.epoch, oldest: page.oldest, items: this.#synced })
  }

  #binary(bytes: ArrayBuffer): void {
    this.#heard()
    if (bytes.byteLength <= ADDRESS_BYTES) return
    const from = readUuid(new Uint8Array(bytes, 0, ADDRESS_BYTES)) as DeviceId
    this.#events.onRelayed(from, bytes.slice(ADDRESS_BYTES))
  }

  /** Anything heard proves that the socket lives. */
  #heard(): void {
    if (this.#idle !== null) clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.#closed(CLOSE_CODES.Idle), SOCKET_IDLE_MS)
  }

  #closed(code: number): void {
    this.#end()
    if (FINAL_CLOSE_CODES.includes(code)) {
      return this.#events.onStatus({ status: 'stopped', why: reasonOf(code) })
    }
    this.#replaced = code === CLOSE_CODES.Replaced
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
    this.#synced = null
    this.#socket?.close()
    this.#socket = null
    for (const timer of [this.#retry, this.#idle]) if (timer !== null) clearTimeout(timer)
    if (this.#ping !== null) clearInterval(this.#ping)
    this.#retry = null
    this.#idle = null
    this.#ping = null
  }

  #send(message: ClientMessage): void {
    this.#socket?.send(encodeClientMessage(message))
  }
}

function reasonOf(finalCode: number): StopReason {
  switch (finalCode) {
    case CLOSE_CODES.SessionEnded:
      return 'logged-out'
    case CLOSE_CODES.Ended:
      return 'ended'
    default:
      return 'forbidden'
  }
}
