import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  type BeamId,
  CLOSE_CODES,
  type DeviceId,
  type ItemId,
  type LiveItem,
  PING_INTERVAL_MS,
  RECONNECT_ATTEMPTS,
  RECONNECT_DELAY_MS,
  SOCKET_IDLE_MS,
} from '../protocol/bindings'
import { ANSWER_WITHIN_MS, CONNECT_WITHIN_MS, LiveBeam, type LiveBeamStatus } from './live-beam'
import type { OpenSignalSocket, SignalSocketEvents } from './signal-socket'

const BEAM = 'b' as BeamId
const ITEM = '01234567-89ab-4cde-8f01-23456789abcd' as ItemId
const ITEM_2 = '11234567-89ab-4cde-8f01-23456789abcd' as ItemId
const DEVICE = '21234567-89ab-8cde-8f01-23456789abcd' as DeviceId

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
    this.says({ type: 'sync', message: { epoch: 'e', oldest: 1, items, next: null } })
  }

  heard(): unknown[] {
    return this.newest.sent
      .filter((data) => typeof data === 'string' && data !== 'ping')
      .map((data) => JSON.parse(String(data)))
  }
}

let server: Server
let statuses: LiveBeamStatus[]
let synced: { items: readonly LiveItem[] }[]
let told: { type: string; message?: unknown }[]
let newTokens: boolean[]

function join(): LiveBeam {
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

const echo = (id: ItemId, seq: number, message = 'x') => ({
  type: 'rec_clipboard',
  message,
  extra: 'text',
  id,
  seq,
  from: DEVICE,
  at: 0,
})

beforeEach(() => {
  vi.useFakeTimers()
  server = new Server()
  statuses = []
  synced = []
  told = []
  newTokens = []
})
afterEach(() => vi.useRealTimers())

describe('the live channel', () => {
  it('s1_s11_sends_auth_first_and_sync_right_after_it', () => {
    join()
    server.newest.events.onOpen()
    expect(server.heard()).toMatchObject([
      { type: 'auth', message: null },
      { type: 'sync', message: { after: null } },
    ])
    expect(statuses.at(-1)).toEqual({ status: 'connecting' })
    server.says({ type: 'auth_success', message: 'ok' })
    expect(server.heard()).toHaveLength(2)
    expect(statuses.at(-1)).toEqual({ status: 'live' })
  })

  it('s11_sends_unconfirmed_changes_before_sync', async () => {
    const live = join()
    server.accepts()
    server.newest.events.onClose(CLOSE_CODES.Restart)
    live.delete(ITEM, 'gone')
    live.share(ITEM_2, 'new', 'text')
    await vi.advanceTimersByTimeAsync(RECONNECT_DELAY_MS + 500)
    server.newest.events.onOpen()
    expect(server.heard()).toMatchObject([{ type: 'auth' }])
    server.says({ type: 'auth_success', message: 'ok' })
    expect(server.heard()).toMatchObject([
      { type: 'auth' },
      { type: 'delete_note', id: ITEM },
      { type: 'share_clipboard', id: ITEM_2 },
      { type: 'sync', message: { after: null } },
    ])
  })

  it('accepts the misspelt auth_sucess', () => {
    join()
    server.newest.events.onOpen()
    server.says({ type: 'auth_sucess' })
    expect(statuses.at(-1)).toEqual({ status: 'live' })
  })

  it('s11_puts_the_pages_together', () => {
    join()
    server.accepts()
    const { type: _type, ...item } = echo(ITEM, 1)
    server.says({ type: 'sync', message: { epoch: 'e', oldest: 1, items: [item], next: 1 } })
    expect(server.heard().at(-1)).toEqual({ type: 'sync', message: { after: 1 } })
    server.says({
      type: 'sync',
      message: { epoch: 'e', oldest: 1, items: [{ ...item, id: ITEM_2, seq: 2 }], next: null },
    })
    expect(synced).toMatchObject([{ epoch: 'e', items: [{ seq: 1 }, { seq: 2 }] }])
  })

  it('sends what was shared while it was down, once it is back, and only what was not echoed', async () => {
    const live = join()
    server.accepts()
    live.share(ITEM, 'x', 'text')
    server.says(echo(ITEM, 1))
    server.newest.events.onClose(CLOSE_CODES.Restart)
    live.share(ITEM_2, 'waits', 'text')
    await vi.advanceTimersByTimeAsync(RECONNECT_DELAY_MS + 500)
    server.accepts()
    expect(
      server.heard().filter((message) => (message as { type: string }).type === 'share_clipboard'),
    ).toEqual([{ type: 'share_clipboard', message: 'waits', extra: 'text', id: ITEM_2 }])
  })

  it('tries twenty times, five seconds and a little apart, then stops; a person can retry', async () => {
    const live = join()
    server.newest.events.onClose(1006)
    for (let attempt = 1; attempt <= RECONNECT_ATTEMPTS; attempt++) {
      expect(statuses.at(-1)).toEqual({ status: 'reconnecting', attempt, of: RECONNECT_ATTEMPTS })
      await vi.advanceTimersByTimeAsync(RECONNECT_DELAY_MS + 499)
      expect(server.sockets).toHaveLength(attempt)
      await vi.advanceTimersByTimeAsync(1)
      expect(server.sockets).toHaveLength(attempt + 1)
      server.newest.events.onClose(1006)
    }
    expect(statuses.at(-1)).toEqual({ status: 'stopped', why: 'unreachable' })
    live.wake()
    server.accepts()
    expect(statuses.at(-1)).toEqual({ status: 'live' })
  })

  it('pings a socket after a sleep, and keeps one that answers', async () => {
    const live = join()
    server.accepts()
    live.wake()
    expect(server.newest.sent.at(-1)).toBe('ping')
    server.newest.events.onText('pong')
    await vi.advanceTimersByTimeAsync(ANSWER_WITHIN_MS)
    expect(server.sockets).toHaveLength(1)
    expect(statuses.at(-1)).toEqual({ status: 'live' })
  })

  it('replaces a socket that died in a sleep at once, and sends what was shared meanwhile', async () => {
    const live = join()
    server.accepts()
    live.wake()
    live.share(ITEM, 'x', 'text')
    await vi.advanceTimersByTimeAsync(ANSWER_WITHIN_MS)
    expect(statuses.at(-1)).toMatchObject({ status: 'reconnecting', attempt: 1 })
    expect(server.sockets.map(({ closed }) => closed)).toEqual([true, false])
    server.accepts()
    expect(server.heard()).toMatchObject([{ type: 'auth' }, { id: ITEM }, { type: 'sync' }])
    expect(statuses.at(-1)).toEqual({ status: 'live' })
  })

  it.each([
    [CLOSE_CODES.Ended, 'ended'],
    [CLOSE_CODES.Forbidden, 'forbidden'],
    [CLOSE_CODES.SessionEnded, 'logged-out'],
  ])('s19_does_not_come_back_after_%i', async (code, why) => {
    join()
    server.newest.events.onClose(code)
    expect(statuses.at(-1)).toEqual({ status: 'stopped', why })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(server.sockets).toHaveLength(1)
  })

  it('s21_s25_saves_and_removes_devices_only_while_connected', () => {
    const live = join()
    expect(live.save('Cabin')).toBe(false)
    server.accepts()
    expect(live.save('Cabin')).toBe(true)
    expect(live.removeDevice(DEVICE)).toBe(true)
    expect(server.heard().slice(-2)).toEqual([
      { type: 'save_beam', message: 'Cabin' },
      { type: 'remove_device', message: DEVICE },
    ])
  })

  it('s5_takes_a_new_token_when_another_tab_took_its_place', async () => {
    join()
    server.accepts()
    server.newest.events.onClose(CLOSE_CODES.Replaced)
    await vi.advanceTimersByTimeAsync(RECONNECT_DELAY_MS + 500)
    server.accepts()
    expect(newTokens).toEqual([false, true])
  })

  it('s5_keeps_the_new_token_when_the_connect_after_it_fails', async () => {
    join()
    server.accepts()
    server.newest.events.onClose(CLOSE_CODES.Replaced)
    await vi.advanceTimersByTimeAsync(RECONNECT_DELAY_MS + 500)
    server.newest.events.onClose(1006)
    await vi.advanceTimersByTimeAsync(RECONNECT_DELAY_MS + 500)
    server.newest.events.onOpen()
    server.newest.events.onClose(1006)
    await vi.advanceTimersByTimeAsync(RECONNECT_DELAY_MS + 500)
    server.accepts()
    await reconnect()
    expect(newTokens).toEqual([false, true, true, false])
  })

  it('waits on a slow line for the answer behind what the socket still sends', async () => {
    const live = join()
    server.accepts()
    server.newest.unsent = 512 * 1024
    live.wake()
    for (let step = 0; step < 5; step++) {
      server.newest.unsent -= 100 * 1024
      await vi.advanceTimersByTimeAsync(ANSWER_WITHIN_MS)
      expect(server.sockets).toHaveLength(1)
    }
    await vi.advanceTimersByTimeAsync(ANSWER_WITHIN_MS)
    expect(server.sockets).toHaveLength(2)
  })

  it('s13_pings_every_25_seconds_and_gives_up_after_60_of_silence', async () => {
    join()
    server.accepts()
    await vi.advanceTimersByTimeAsync(PING_INTERVAL_MS)
    expect(server.newest.sent.at(-1)).toBe('ping')
    await vi.advanceTimersByTimeAsync(SOCKET_IDLE_MS - PING_INTERVAL_MS)
    expect(statuses.at(-1)?.status).toBe('reconnecting')
    expect(server.newest.closed).toBe(true)
  })

  it('lives on as long as the server answers', async () => {
    join()
    server.accepts()
    for (let i = 0; i < 6; i++) {
      await vi.advanceTimersByTimeAsync(PING_INTERVAL_MS)
      server.newest.events.onText('pong')
    }
    expect(statuses.at(-1)?.status).toBe('live')
  })

  it('ignores late events of a socket that it left', async () => {
    join()
    server.accepts()
    const old = server.newest
    old.events.onClose(1006)
    await vi.advanceTimersByTimeAsync(RECONNECT_DELAY_MS + 500)
    server.accepts()
    old.events.onClose(1006)
    expect(statuses.at(-1)).toEqual({ status: 'live' })
  })

  it('r19_ignores_texts_that_are_not_messages', () => {
    join()
    server.accepts()
    for (const text of ['<html>', '{"type":7}', '{"type":"rec_clipboard"}', '[]', '{"type":"news"}']) {
      server.newest.events.onText(text)
    }
    expect(statuses.at(-1)).toEqual({ status: 'live' })
  })
})

/** Loses the socket and joins again. */
async function reconnect(): Promise<void> {
  server.newest.events.onClose(CLOSE_CODES.Restart)
  await vi.advanceTimersByTimeAsync(RECONNECT_DELAY_MS + 1_000)
  server.accepts()
}

const messages = (type: string) =>
  told.filter((message) => message.type === type).map(({ message }) => message)

describe('an item that this device shares', () => {
  it('is confirmed by the echo of that version only', async () => {
    const live = join()
    server.accepts()
    live.share(ITEM, 'one', 'text')
    live.share(ITEM, 'two', 'text')
    server.says(echo(ITEM, 1, 'one'))
    await reconnect()
    expect(server.heard()[1]).toMatchObject({ type: 'share_clipboard', id: ITEM, message: 'two' })
    server.says(echo(ITEM, 2, 'two'))
    await reconnect()
    expect(server.heard()).toMatchObject([{ type: 'auth' }, { type: 'sync' }])
  })

  it('is not replaced on the screen by an older version, from an echo or from a sync', () => {
    const live = join()
    server.accepts()
    live.share(ITEM, 'two', 'text')
    server.says(echo(ITEM, 1, 'one'))
    server.has(echo(ITEM, 1, 'one'))
    expect(messages('rec_clipboard')).toEqual([])
    expect(synced.at(-1)?.items).toMatchObject([{ id: ITEM, seq: 1, message: 'two' }])
    server.says(echo(ITEM, 2, 'two'))
    server.says(echo(ITEM, 3, 'three'))
    expect(messages('rec_clipboard')).toEqual(['two', 'three'])
  })

  it('s14_is_not_sent_again_once_it_was_refused', async () => {
    const live = join()
    server.accepts()
    live.share(ITEM, 'mine', 'text')
    server.says({ type: 'error', message: 'You may only read.', extra: 'forbidden', id: ITEM })
    expect(messages('error')).toEqual(['You may only read.'])
    await reconnect()
    expect(server.heard()).toMatchObject([{ type: 'auth' }, { type: 'sync' }])
  })

  it('s14_is_sent_again_ever_more_slowly_while_the_server_cannot_take_it', async () => {
    const live = join()
    server.accepts()
    live.share(ITEM, 'mine', 'text')
    const times = () => server.heard().filter((message) => (message as { id?: string }).id === ITEM).length
    for (const [tries, pause] of [1_000, 2_000, 5_000, 15_000, 60_000, 60_000].entries()) {
      const code = tries % 2 ? 'unavailable' : 'internal'
      server.says({ type: 'error', message: 'Try again.', extra: code, id: ITEM })
      await vi.advanceTimersByTimeAsync(pause / 2)
      server.newest.events.onText('pong')
      await vi.advanceTimersByTimeAsync(pause / 2 - 1)
      expect(times()).toBe(tries + 1)
      await vi.advanceTimersByTimeAsync(1)
      expect(times()).toBe(tries + 2)
    }
    server.says(echo(ITEM, 1, 'mine'))
    expect(messages('error')).toEqual([])
    expect(messages('rec_clipboard')).toEqual(['mine'])
    await reconnect()
    expect(server.heard()).toMatchObject([{ type: 'auth' }, { type: 'sync' }])
  })

  it('stays on the server when it was shared between sync and the welcome', () => {
    const live = join()
    server.newest.events.onOpen()
    live.share(ITEM, 'early', 'text')
    server.says({ type: 'auth_success', message: 'ok' })
    expect(server.heard()).toMatchObject([{ type: 'auth' }, { type: 'sync' }, { id: ITEM }])
  })
})

describe('an item that this device deletes', () => {
  it('is deleted again on each new socket until the server has confirmed it', async () => {
    const live = join()
    server.accepts()
    server.has(echo(ITEM, 1))
    // The socket is dead, but nobody has noticed yet.
    live.delete(ITEM, 'x')
    await reconnect()
    expect(server.heard()).toMatchObject([
      { type: 'auth' },
      { type: 'delete_note', id: ITEM },
      { type: 'sync' },
    ])
    server.says({ type: 'delete_note', message: 'x', id: ITEM })
    await reconnect()
    expect(server.heard()).toMatchObject([{ type: 'auth' }, { type: 'sync' }])
  })

  it('does not return by an older sync or echo', () => {
    const live = join()
    server.accepts()
    live.delete(ITEM, 'x')
    server.says(echo(ITEM, 1))
    server.has(echo(ITEM, 1), echo(ITEM_2, 2))
    expect(messages('rec_clipboard')).toEqual([])
    expect(synced.at(-1)?.items.map(({ id }) => id)).toEqual([ITEM_2])
  })

  it("counts as deleted when the server's list lacks it", async () => {
    const live = join()
    server.accepts()
    server.newest.events.onClose(CLOSE_CODES.Restart)
    live.delete(ITEM, 'x')
    await vi.advanceTimersByTimeAsync(RECONNECT_DELAY_MS + 1_000)
    server.accepts()
    server.has()
    await reconnect()
    expect(server.heard()).toMatchObject([{ type: 'auth' }, { type: 'sync' }])
  })

  it('s14_returns_when_the_server_refuses', async () => {
    const live = join()
    server.accepts()
    server.has(echo(ITEM, 1))
    live.delete(ITEM, 'x')
    server.says({ type: 'error', message: 'Not yours.', extra: 'forbidden', id: ITEM })
    expect(server.heard().at(-1)).toEqual({ type: 'sync', message: { after: null } })
    server.has(echo(ITEM, 1))
    expect(synced.at(-1)?.items).toMatchObject([{ id: ITEM }])
    await reconnect()
    expect(server.heard()).toMatchObject([{ type: 'auth' }, { type: 'sync' }])
  })

  it('s14_is_deleted_again_when_the_server_could_not_do_it_at_that_moment', async () => {
    const live = join()
    server.accepts()
    server.has(echo(ITEM, 1))
    live.delete(ITEM, 'x')
    server.says({ type: 'error', message: 'Try again.', extra: 'unavailable', id: ITEM })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(server.heard().slice(-2)).toMatchObject([
      { type: 'delete_note', id: ITEM },
      { type: 'delete_note', id: ITEM },
    ])
    server.says({ type: 'delete_note', message: 'x', id: ITEM })
    live.leave()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is shared again when that is the newer change', async () => {
    const live = join()
    server.newest.events.onClose(CLOSE_CODES.Restart)
    live.delete(ITEM, 'x')
    live.share(ITEM, 'x', 'text')
    await vi.advanceTimersByTimeAsync(RECONNECT_DELAY_MS + 1_000)
    server.accepts()
    expect(server.heard()).toMatchObject([
      { type: 'auth' },
      { type: 'share_clipboard', id: ITEM },
      { type: 'sync' },
    ])
    server.says(echo(ITEM, 1))
    expect(messages('rec_clipboard')).toEqual(['x'])
  })
})

describe('a change between two pages of a sync', () => {
  const page = (items: object[], next: number | null) =>
    server.says({ type: 'sync', message: { epoch: 'e', oldest: 1, items, next } })

  it('wins over the older page', () => {
    join()
    server.accepts()
    page([echo(ITEM, 1, 'old')], 1)
    server.says(echo(ITEM, 3, 'new'))
    page([echo(ITEM_2, 2)], null)
    expect(synced.at(-1)?.items).toMatchObject([
      { id: ITEM, seq: 3, message: 'new' },
      { id: ITEM_2, seq: 2 },
    ])
  })

  it('stays deleted, by its id or by its content', () => {
    join()
    server.accepts()
    page([echo(ITEM, 1), echo(ITEM_2, 2, 'by content')], 2)
    server.says({ type: 'delete_note', message: 'x', id: ITEM })
    server.says({ type: 'delete_note', message: 'by content' })
    page([], null)
    expect(synced.at(-1)?.items).toEqual([])
  })
})

describe('a hint that the network is back', () => {
  it('restarts a connect that has taken a second', async () => {
    const live = join()
    await vi.advanceTimersByTimeAsync(CONNECT_WITHIN_MS)
    live.wake()
    expect(server.sockets).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    live.wake()
    expect(server.sockets.map(({ closed }) => closed)).toEqual([true, false])
    server.accepts()
    expect(statuses.at(-1)).toEqual({ status: 'live' })
  })

  it('restarts also while auth is unanswered', async () => {
    const live = join()
    server.newest.events.onOpen()
    await vi.advanceTimersByTimeAsync(CONNECT_WITHIN_MS + 1)
    live.wake()
    expect(server.sockets).toHaveLength(2)
  })
})

it('h28_moves_to_the_new_id_of_the_beam_with_unconfirmed_changes', () => {
  const live = join()
  server.accepts()
  live.share(ITEM, 'x', 'text')
  live.move('renewed' as BeamId, null)
  expect(server.sockets.map(({ beam, closed }) => [beam, closed])).toEqual([
    [BEAM, true],
    ['renewed', false],
  ])
  server.accepts()
  expect(server.heard()).toMatchObject([{ type: 'auth', message: null }, { id: ITEM }, { type: 'sync' }])
})
