/** R6: the engine with a relay that joins direct links, or that the operator does not want. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { decodeFrame } from '../protocol/frames'
import { STALL_MS } from '../protocol/stall-clock'
import {
  adaAndBob,
  bytes,
  closePorts,
  FILES,
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

it('r4 a file goes on over its direct link when the server refuses its chunks', async () => {
  for (const device of [ada, bob]) device.engine.handle({ do: 'relay', use: 'boost' })
  let refused = 0
  server.loses = ({ type }, { from }) => {
    if (type !== 'chunk' || from !== ada.id) return false
    refused += 1
    ada.isRefused(bob, 'forbidden')
    return true
  }
  const channel = new StageChannel('direct', ada, bob)
  await channel.opens()
  ada.offers(new Blob([bytes(4 * MIB)]))
  bob.receives(4 * MIB, ada)
  for (let rounds = 0; rounds < 2_000 && bob.last('receiving')?.status !== 'done'; rounds++) {
    channel.carries(1)
    server.carriesSome(1)
    await settles(20)
  }
  expect(bob.last('receiving')).toMatchObject({ status: 'done' })
  expect(ada.count('sending', 'failed')).toBe(0)
  expect(refused).toBeGreaterThan(0)
  // Nothing of it waits for as long as a dead link is silent.
  expect(performance.now()).toBeLessThan(STALL_MS)
})

describe('r4 a device that the server says is gone, and that is listed for a moment more', () => {
  const framesOf = (device: StageDevice) => device.outgoing.map(({ frame }) => decodeFrame(frame)?.type)

  beforeEach(async () => {
    ada.offers(new Blob([bytes(4 * MIB)]))
    bob.receives(4 * MIB, ada)
    await settles()
    server.carriesSome(4)
    await settles()
    server.carriesSome(4)
    ada.outgoing.length = 0
    bob.outgoing.length = 0
    ada.isRefused(bob, 'device_gone')
  })

  it('is not told of what goes on before the pause is over', async () => {
    expect(ada.last('sending')?.status).toBe('parked')
    await settles(900)
    expect(framesOf(ada)).toEqual([])
    await settles(400)
    expect(framesOf(ada)).toEqual(['offered'])
  })

  it('is told of an end once the pause is over', async () => {
    ada.cancels()
    await settles(900)
    expect(framesOf(ada)).toEqual([])
    await settles(400)
    expect(framesOf(ada)).toEqual(['cancel'])
    await server.carries()
    expect(bob.last('receiving')).toEqual({ status: 'cancelled', by: 'them' })
  })
})

describe('r4 a device for which the server has refused a frame', () => {
  const saidBy = (device: StageDevice) => device.outgoing.map(({ frame }) => decodeFrame(frame)?.type)

  beforeEach(async () => {
    ada.offers(new Blob([bytes(4 * MIB)]))
    bob.receives(4 * MIB, ada)
    await settles()
    server.carriesSome(4)
    await settles()
    server.carriesSome(4)
    ada.outgoing.length = 0
    bob.outgoing.length = 0
    ada.isRefused(bob, 'relay_full')
  })

  it('is given no answer before the pause is over, and then hears what it says again', async () => {
    bob.pauses()
    await settles()
    // It also wants a file that is not here, and chunks come of one that nobody knows.
    bob.receives(10, ada, FILES[1])
    await settles()
    server.carriesSome(10)
    await settles(900)
    expect(saidBy(ada)).toEqual([])
    for (let passed = 0; passed < 2 * STALL_MS; passed += 250) {
      server.carriesSome(10)
      await settles(250)
    }
    expect(ada.last('sending')).toMatchObject({ status: 'paused', by: 'them' })
    expect(bob.last('receiving', FILES[1])).toMatchObject({ status: 'failed', why: { reason: 'gone' } })
    // Its `cancel` is answered, so it is not said once more.
    bob.outgoing.length = 0
    await settles(STALL_MS + 1_000)
    expect(saidBy(bob)).not.toContain('cancel')
  })
})

it('r4 a file whose bytes are long in coming gives no sign of life in the pause', async () => {
  const slow = new Blob([bytes(MIB)])
  vi.spyOn(slow, 'slice').mockReturnValue({ arrayBuffer: () => new Promise(() => {}) } as unknown as Blob)
  ada.offers(slow)
  bob.receives(MIB, ada)
  await settles(10)
  server.carriesSome(10)
  const chunks = () => ada.outgoing.filter(({ frame }) => decodeFrame(frame)?.type === 'chunk').length
  await settles(STALL_MS / 2)
  expect(chunks()).toBeGreaterThan(0)
  ada.outgoing.length = 0
  for (let passed = 0; passed < STALL_MS / 2; passed += 500) {
    ada.isRefused(bob, 'relay_full')
    await settles(500)
  }
  expect(chunks()).toBe(0)
})

it('r4 f19 a hash that is made in the pause is told after it, and nobody has to ask', async () => {
  const content = bytes(MIB)
  const slow = new Blob([content])
  let reads = (_: ArrayBuffer) => {}
  const arrayBuffer = () => new Promise((resolve) => (reads = resolve))
  vi.spyOn(slow, 'slice').mockReturnValue({ arrayBuffer } as unknown as Blob)
  let asked = 0
  server.loses = ({ type }) => {
    if (type === 'ask') asked += 1
    return false
  }
  ada.offers(slow)
  bob.receives(MIB, ada)
  await settles(10)
  server.carriesSome(10)
  await settles()
  ada.isRefused(bob, 'relay_full')
  reads(content.buffer)
  for (let passed = 0; passed < 4_000; passed += 250) {
    await settles(250)
    server.carriesSome(50)
  }
  expect(await bob.hasWhole(content)).toBe(true)
  expect(asked).toBe(0)
})
