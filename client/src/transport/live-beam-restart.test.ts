import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  begins,
  DEVICE,
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

const held = () => server.heard().filter((said) => (said as { type: string }).type === 'held')
const restored = () => server.heard().filter((said) => (said as { type: string }).type === 'restore')
const welcome = (saved: object | null) =>
  server.says({
    type: 'welcome',
    message: { device_id: DEVICE, ice_servers: [], expires_at: 1, now: 0, creator: true, saved },
  })

describe('s28_after_a_restart_of_the_server', () => {
  it('this device tells what it holds, and brings back what is wanted', async () => {
    join()
    server.accepts()
    server.has(echo(ITEM, 1, 'one'))
    server.says(echo(ITEM_2, 2, 'two'))
    expect(held()).toEqual([])
    await reconnect()
    server.hasLostAllBut()
    const items = [
      { id: ITEM, seq: 1 },
      { id: ITEM_2, seq: 2 },
    ]
    expect(held()).toEqual([{ type: 'held', message: { known: [[1, 2]], items } }])

    server.says({ type: 'wanted', message: [ITEM_2] })
    const { type: _, ...item } = echo(ITEM_2, 2, 'two')
    expect(restored()).toEqual([{ type: 'restore', message: item }])
    expect(messages('wanted')).toEqual([])
  })

  it('brings back what was sealed and deleted without a proof, and shows it until then', async () => {
    const live = join()
    server.accepts()
    const sealed = echo(ITEM, 1, 'e2e1.AAAA')
    server.has(sealed)
    server.says({ type: 'delete_note', message: null, id: ITEM })
    live.resync()
    server.has()
    expect(synced.at(-1)?.items).toMatchObject([{ id: ITEM, message: 'e2e1.AAAA' }])
    await reconnect()
    server.hasLostAllBut()
    expect(held()).toMatchObject([{ message: { items: [{ id: ITEM, seq: 1 }] } }])
  })

  it('what was deleted meanwhile is not brought back, and what was shared meanwhile goes as new', async () => {
    const live = join()
    server.accepts()
    server.has(echo(ITEM, 1, 'one'))
    live.delete(ITEM, 'one')
    live.share(ITEM_2, 'two', 'text')
    await reconnect()
    server.hasLostAllBut()
    expect(server.heard()).toMatchObject([
      { type: 'auth' },
      { type: 'delete_note', id: ITEM },
      { type: 'share_clipboard', id: ITEM_2 },
      { type: 'sync' },
      { type: 'held', message: { known: [[1, 1]], items: [] } },
    ])
  })

  it('a deletion that was not confirmed before is not undone either', async () => {
    const live = join()
    server.accepts()
    server.has(echo(ITEM, 1, 'one'))
    live.delete(ITEM, 'one')
    await reconnect()
    server.has(echo(ITEM, 1, 'one'))
    await reconnect()
    server.hasLostAllBut()
    expect(held()).toEqual([{ type: 'held', message: { known: [[1, 1]], items: [] } }])
  })

  it('it is told again when the connection breaks before everything was brought back', async () => {
    join()
    server.accepts()
    server.has(echo(ITEM, 1), echo(ITEM_2, 2))
    await reconnect()
    server.hasLostAllBut()
    await reconnect()
    server.hasLostAllBut(echo(ITEM, 1))
    expect(held()).toHaveLength(1)
    server.says({ type: 'wanted', message: [ITEM_2] })
    expect(restored()).toMatchObject([{ message: { id: ITEM_2, seq: 2 } }])
  })

  it('the sync of a saved beam is all there is', async () => {
    join()
    server.accepts()
    welcome({ beam_name: 'Cabin', role: 'write', link_access: 'write', by_link: true })
    server.has(echo(ITEM, 1))
    await reconnect()
    server.hasLostAllBut()
    expect(synced.at(-1)?.items).toEqual([])
    expect(held()).toEqual([])
  })
})
