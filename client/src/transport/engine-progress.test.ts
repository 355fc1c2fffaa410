import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { adaAndBob, bytes, KIB, MIB, type StageDevice, type StageServer } from './engine-stage'
import { PROGRESS_INTERVAL_MS } from './progress'

let ada: StageDevice
let bob: StageDevice
let server: StageServer

beforeEach(() => {
  ;({ ada, bob, server } = adaAndBob())
})
afterEach(() => vi.useRealTimers())

describe('through the server', () => {
  it('the sender counts only what has left its own websocket', async () => {
    ada.unsent = () => ada.outgoing.reduce((sum, { frame }) => sum + frame.byteLength, 0)
    ada.offers(new Blob([bytes(2 * MIB)]))
    bob.receives(2 * MIB, ada)
    await vi.advanceTimersByTimeAsync(PROGRESS_INTERVAL_MS)
    // The first `want` arrives, and from then on nothing leaves.
    server.carriesSome(1)
    await vi.advanceTimersByTimeAsync(2 * PROGRESS_INTERVAL_MS)
    expect(ada.outgoing.length).toBeGreaterThan(0)
    const progress = ada.last('sending')
    expect(progress).toMatchObject({ status: 'moving' })
    expect(progress && 'bytes' in progress ? progress.bytes : Number.NaN).toBeLessThan(64 * KIB)
    await server.carries()
    expect(await bob.has()).toHaveLength(2 * MIB)
  })

  it('a file that has begun waits for its sender when the server dies, and goes on when it is back', async () => {
    ada.offers(new Blob([bytes(2 * MIB)]))
    bob.receives(2 * MIB, ada)
    expect(bob.last('receiving')?.status).toBe('queued')
    for (let round = 0; round < 4; round++) {
      server.carriesSome(1)
      await vi.advanceTimersByTimeAsync(PROGRESS_INTERVAL_MS)
    }
    expect(bob.last('receiving')?.status).toBe('moving')
    for (const device of [ada, bob]) device.engine.handle({ do: 'relay', use: null })
    await vi.advanceTimersByTimeAsync(2 * PROGRESS_INTERVAL_MS)
    expect(bob.last('receiving')?.status).toBe('parked')
    for (const device of [ada, bob]) device.engine.handle({ do: 'relay', use: 'fallback' })
    await server.carries()
    expect(bob.last('receiving')?.status).toBe('done')
  })
})
