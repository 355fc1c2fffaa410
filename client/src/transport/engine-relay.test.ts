/** R6: the engine with a relay that joins direct links, or that the operator does not want. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  adaAndBob,
  bytes,
  closePorts,
  MIB,
  StageChannel,
  type StageDevice,
  type StageServer,
  settles,
} from './engine-stage'

let ada: StageDevice
let bob: StageDevice
let server: StageServer

beforeEach(() => {
  ;({ ada, bob, server } = adaAndBob())
})
afterEach(() => {
  closePorts()
  vi.useRealTimers()
})

/** Lets a second pass in which a direct link carries one frame, and the server fifty of each device. */
async function second(channel: StageChannel): Promise<void> {
  channel.carries(1)
  for (let passed = 0; passed < 1_000; passed += 20) {
    server.carriesSome(1)
    await settles(20)
  }
}

describe('r6 a direct link that carries 64 KB/s', () => {
  it('is joined by the relay, and nothing is sent twice', async () => {
    const channel = new StageChannel('slow', ada, bob)
    await channel.opens()
    ada.offers(new Blob([bytes(16 * MIB)]))
    bob.receives(16 * MIB, ada)
    for (let seconds = 0; seconds < 12; seconds++) await second(channel)
    expect(bob.last('receiving')).toMatchObject({ status: 'done', twice: 0 })
    expect(bob.news).toContainEqual(
      expect.objectContaining({
        progress: expect.objectContaining({ via: { links: ['slow'], server: true } }),
      }),
    )
    expect(server.carried).toBeGreaterThan(12 * MIB)
  })

  it('carries alone where the operator wants no relay', async () => {
    for (const device of [ada, bob]) device.engine.handle({ do: 'relay', use: 'off' })
    const channel = new StageChannel('slow', ada, bob)
    await channel.opens()
    ada.offers(new Blob([bytes(16 * MIB)]))
    bob.receives(16 * MIB, ada)
    for (let seconds = 0; seconds < 12; seconds++) await second(channel)
    expect(bob.last('receiving')).toMatchObject({ via: { links: ['slow'], server: false } })
    expect(server.carried).toBe(0)
    expect(bob.outgoing).toEqual([])
  })
})

it('r6 a direct link that does not open is waited for where the operator wants no relay', async () => {
  for (const device of [ada, bob]) device.engine.handle({ do: 'relay', use: 'off' })
  ada.offers(new Blob([bytes(10)]))
  bob.receives(10, ada)
  await settles(1_000)
  expect(bob.last('receiving')).toEqual({ status: 'parked', bytes: 0, needsDirect: true })
  const channel = new StageChannel('late', ada, bob)
  await channel.opens()
  while (bob.last('receiving')?.status !== 'done') {
    channel.carries(1)
    await settles(10)
  }
  expect(server.carried).toBe(0)
})
