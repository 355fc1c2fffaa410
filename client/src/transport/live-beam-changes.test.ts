import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type BeamId, CLOSE_CODES, type DeviceId, RECONNECT_DELAY_MS } from '../protocol/bindings'
import {
  BEAM,
  begins,
  echo,
  ITEM,
  ITEM_2,
  join,
  messages,
  reconnect,
  server,
  synced,
} from './live-beam-stage'

beforeEach(begins)
afterEach(() => vi.useRealTimers())

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
    server.says({ type: 'sync', message: { epoch: 'e', oldest: 1, dropped: 0, items, next } })

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

it('s33_what_is_for_one_device_is_so_again_on_the_next_socket', async () => {
  const live = join()
  server.accepts()
  live.share(ITEM, 'for you', 'text', 'phone' as DeviceId)
  await reconnect()
  expect(server.heard()[1]).toMatchObject({ type: 'share_clipboard', id: ITEM, to: 'phone' })
})

it('s32_a_new_name_is_told_while_there_is_a_connection', () => {
  const live = join()
  live.rename('too early')
  server.accepts()
  live.rename('Desk')
  expect(server.heard().filter((message) => (message as { type: string }).type === 'rename_device')).toEqual([
    { type: 'rename_device', message: 'Desk' },
  ])
})
