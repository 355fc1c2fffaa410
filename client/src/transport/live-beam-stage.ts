/** A live channel whose server is the test. `begins` comes before each test. */
import { vi } from 'vitest'
import {
  type BeamId,
  CLOSE_CODES,
  type DeviceId,
  type ItemId,
  type LiveItem,
  RECONNECT_DELAY_MS,
} from '../protocol/bindings'
import { LiveBeam } from './live-beam'
import type { LiveBeamStatus } from './live-beam-status'
import type { OpenSignalSocket, SignalSocketEvents } from './signal-socket'

export const BEAM = 'b' as BeamId
export const ITEM = '01234567-89ab-4cde-8f01-23456789abcd' as ItemId
export const ITEM_2 = '11234567-89ab-4cde-8f01-23456789abcd' as ItemId
export const DEVICE = '21234567-89ab-8cde-8f01-23456789abcd' as DeviceId

/** The server's end of each opened socket, the newest last. */
class Server {
  readonly sockets: {
    beam: BeamId
    events: SignalSocketEvents
    sent: (string | Uint8Array)[]
    closed: boolean
    /** Bytes that it has not sent yet. */
    unsent: number
  }[] = []

  readonly open: OpenSignalSocket = (beam, events) => {
    const socket = { beam, events, sent: [] as (string | Uint8Array)[], closed: false, unsent: 0 }
    this.sockets.push(socket)
    return {
      send: (data) => socket.sent.push(data),
      unsent: () => socket.unsent,
      close: () => {
        socket.closed = true
      },
    }
  }

  get newest() {
    const socket = this.sockets.at(-1)
    if (!socket) throw new Error('no socket was opened')
    return socket
  }

  accepts(): void {
    this.newest.events.onOpen()
    this.says({ type: 'auth_success', message: 'ok' })
  }

  says(message: unknown): void {
    this.newest.events.onText(JSON.stringify(message))
  }

  /** Answers a `sync` with a single page. */
  has(...items: object[]): void {
    this.says({ type: 'sync', message: { epoch: 'e', oldest: 1, dropped: 0, items, next: null } })
  }

  /** Answers a `sync` after a restart: it has lost everything with numbers below 100. */
  hasLostAllBut(...items: object[]): void {
    this.says({ type: 'sync', message: { epoch: 'f', oldest: 100, dropped: 0, items, next: null } })
  }

  heard(): unknown[] {
    return this.newest.sent
      .filter((data) => typeof data === 'string' && data !== 'ping')
      .map((data) => JSON.parse(String(data)))
  }
}

export let server: Server
export let statuses: LiveBeamStatus[]
export let synced: { items: readonly LiveItem[] }[]
export let told: { type: string; message?: unknown }[]
export let newTokens: boolean[]

export function join(): LiveBeam {
  return new LiveBeam(
    {
      beamId: BEAM,
      beamKey: null,
      auth: (_beam, takeNewToken) => {
        newTokens.push(takeNewToken)
        return { v: 1, caps: ['files'], name: 'Test', device_token: null }
      },
      open: server.open,
      random: () => 0.5,
      now: () => Date.now(),
    },
    {
      onStatus: (status) => statuses.push(status),
      onMessage: (message) => told.push(message),
      onSynced: (all) => synced.push(all),
      onRelayed: () => {},
    },
  )
}

export const echo = (id: ItemId, seq: number, message = 'x') => ({
  type: 'rec_clipboard',
  message,
  extra: 'text',
  id,
  seq,
  from: DEVICE,
  at: 0,
})

export function begins(): void {
  vi.useFakeTimers()
  server = new Server()
  statuses = []
  synced = []
  told = []
  newTokens = []
}

/** Loses the socket and joins again. */
export async function reconnect(): Promise<void> {
  server.newest.events.onClose(CLOSE_CODES.Restart)
  await vi.advanceTimersByTimeAsync(RECONNECT_DELAY_MS + 1_000)
  server.accepts()
}

export const messages = (type: string) =>
  told.filter((message) => message.type === type).map(({ message }) => message)
