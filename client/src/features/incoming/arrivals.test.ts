import { describe, expect, it } from 'vitest'
import type { DeviceId, ItemId } from '../../protocol/bindings'
import { fileItemMessage, liveItem, pendingItem } from '../../protocol/item'
import { DIRECT } from '../../protocol/way'
import { type Batch, cardsOf, isBatch } from '../../stores/cards'
import type { Receiving } from '../../stores/transfers'
import { arrivedBatches, asksForAttention, firstThatAsks } from './arrivals'

const BATCH = '5b1f4a52-7d0e-4c3b-9a41-2f6d8e0c7b13' as ItemId
const ME = 'me' as DeviceId
const ADA = 'ada' as DeviceId
const MB = 1_000_000

const file = (id: string, { from = ADA, size = 1, batched = true, of = BATCH, seq = 1 } = {}) => {
  const batch = batched ? { batch: { id: of, count: 2, index: 0 } } : {}
  const message = fileItemMessage({ name: id, size, type: '', ...batch })
  return liveItem({ id: id as ItemId, ...message, seq, from, at: 0 }, null)
}
const empty = { items: [], epoch: 'e' }
const with1 = (...items: ReturnType<typeof file>[]) => ({ items, epoch: 'e' })

describe('a batch that comes', () => {
  it('is new when its first file arrives from another device', () => {
    expect(arrivedBatches(empty, with1(file('a')), ME)).toEqual([BATCH])
    const one = with1(file('a'))
    expect(arrivedBatches(one, with1(...one.items, file('b')), ME)).toEqual([])
  })

  it('is not new when it was in the beam already, when it is my own, and when it is a single file', () => {
    expect(arrivedBatches({ items: [], epoch: null }, with1(file('a')), ME)).toEqual([])
    expect(arrivedBatches(empty, with1(file('a', { from: ME })), ME)).toEqual([])
    expect(arrivedBatches(empty, with1(file('a', { batched: false })), ME)).toEqual([])
    const own = {
      ...fileItemMessage({ name: 'a', size: 1, type: '', batch: { id: BATCH, count: 2, index: 0 } }),
    }
    const pending = pendingItem('a' as ItemId, own.message, own.extra, 0)
    expect(arrivedBatches(empty, { items: [pending], epoch: 'e' }, ME)).toEqual([])
  })

  it('is not new when it was shared before the newest item', () => {
    const newest = file('z', { batched: false, seq: 9 })
    expect(arrivedBatches(with1(newest), with1(file('a', { seq: 5 }), newest), ME)).toEqual([])
  })

  const batchOf = (...sizes: number[]): Batch => {
    const [card] = cardsOf(sizes.map((size, at) => file(`${at}`, { size })))
    if (!card || !isBatch(card)) throw new Error('no batch')
    return card
  }
  const receiving = (...states: Receiving[]) => ({
    transfers: Object.fromEntries(
      states.map((state, at) => [`${at}`, { role: 'receiving' as const, state }]),
    ),
  })
  const moving = { status: 'moving', received: 0, bytesPerSecond: 1, way: DIRECT } as const
  const done = { status: 'done', url: 'blob:a', way: DIRECT, isKept: true } as const

  it.each([
    ['a file waits for a tap', batchOf(1, 1), receiving(moving, { status: 'offered' }), true],
    ['more than 25 MB are coming', batchOf(20 * MB, 20 * MB), receiving(moving, moving), true],
    ['only small pictures are coming', batchOf(3 * MB, 3 * MB), receiving(moving, moving), false],
    ['all are here', batchOf(20 * MB, 20 * MB), receiving(done, done), false],
    ['nothing is known of them yet', batchOf(20 * MB, 20 * MB), receiving(), false],
  ])('when %s', (_what, batch, transfers, asks) => expect(asksForAttention(batch, transfers)).toBe(asks))

  it('is shown though another one came before it that asks for nothing', () => {
    const other = '8c0cc17a-0494-4cc4-b8e0-fe0b302606d3' as ItemId
    const items = [file('0'), file('1', { of: other })]
    const transfers = receiving(moving, { status: 'offered' })
    expect(firstThatAsks(new Set([BATCH, other]), items, transfers)?.id).toBe(other)
    expect(firstThatAsks(new Set([BATCH]), items, transfers)).toBeUndefined()
  })
})
