import { describe, expect, it } from 'vitest'
import { CHUNK_BYTES } from './bindings'
import { Sender } from './sender'

const range = (first: number, count: number) => ({ first, count })
const sender = () => new Sender(10 * CHUNK_BYTES)

describe('what is counted of a transfer', () => {
  it('begins behind what the receiver had before, which it does not want', () => {
    const resumed = sender()
    resumed.wanted(range(4, 2), true)
    expect(resumed.sent).toBe(4 * CHUNK_BYTES)
    resumed.gave(range(4, 2))
    expect(resumed.sent).toBe(6 * CHUNK_BYTES)
    resumed.wanted(range(8, 2), true)
    resumed.gave(range(8, 2))
    expect([resumed.sent, resumed.twice]).toEqual([10 * CHUNK_BYTES, 0])
  })

  it('is nothing before anything has left where the receiver has none of it', () => {
    const fresh = sender()
    fresh.wanted(range(0, 4), true)
    expect(fresh.sent).toBe(0)
  })

  it('does not begin later where chunks are wanted in any order', () => {
    const shared = sender()
    shared.wanted(range(6, 2), false)
    expect(shared.sent).toBe(0)
  })

  it('is less again by what is wanted after all, as on a slower link', () => {
    const resumed = sender()
    resumed.wanted(range(6, 2), true)
    resumed.wanted(range(0, 4), true)
    expect(resumed.sent).toBe(2 * CHUNK_BYTES)
    resumed.gave(range(0, 4))
    resumed.gave(range(6, 2))
    expect([resumed.sent, resumed.twice]).toEqual([8 * CHUNK_BYTES, 0])
  })
})
