import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  CLOSE_CODES,
  PING_INTERVAL_MS,
  RECONNECT_ATTEMPTS,
  RECONNECT_DELAY_MS,
  SOCKET_IDLE_MS,
} from '../protocol/bindings'
import { ANSWER_WITHIN_MS, CONNECT_WITHIN_MS } from './live-beam'
import {
  begins,
  DEVICE,
  echo,
  ITEM,
  ITEM_2,
  join,
  newTokens,
  reconnect,
  server,
  statuses,
  synced,
} from './live-beam-stage'

beforeEach(begins)
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
    server.says({ type: 'sync', message: { epoch: 'e', oldest: 1, dropped: 0, items: [item], next: 1 } })
    expect(server.heard().at(-1)).toEqual({ type: 'sync', message: { after: 1 } })
    server.says({
      type: 'sync',
      message: { epoch: 'e', oldest: 1, dropped: 0, items: [{ ...item, id: ITEM_2, seq: 2 }], next: null },
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
