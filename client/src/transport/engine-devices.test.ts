/** The engine with several devices: one that leaves, or is removed, while others move files. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { decodeFrame } from '../protocol/frames'
import { STALL_MS } from '../protocol/stall-clock'
import {
  bytes,
  closePorts,
  FILES,
  fakeTime,
  KIB,
  MIB,
  StageChannel,
  type StageDevice,
  StageServer,
  settles,
  stageDevice,
} from './engine-stage'

let ada: StageDevice
let bob: StageDevice
let cat: StageDevice
let server: StageServer

beforeEach(() => {
  fakeTime()
  ada = stageDevice('a')
  bob = stageDevice('b')
  cat = stageDevice('c')
  server = new StageServer(ada, bob, cat)
  ada.seesAll(bob, cat)
  bob.seesAll(ada, cat)
  cat.seesAll(ada, bob)
})
afterEach(() => {
  closePorts()
  vi.useRealTimers()
})

const between = (key: string) => new StageChannel(key, ada, bob)

/** Lets time pass, and the server forward what waits. */
async function passes(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 20) {
    server.carriesSome(Number.POSITIVE_INFINITY)
    await settles(20)
  }
}

describe('a direct link', () => {
  it('s25_ends_when_its_device_is_removed_from_the_beam, and nothing is sent to that device any more', async () => {
    const channel = between('removed')
    await channel.opens()
    ada.offers(new Blob([bytes(8 * MIB)]))
    bob.receives(8 * MIB, ada)
    await settles()
    channel.carries(4)
    await settles()
    ada.hasRemoved(bob)
    expect(ada.news).toContainEqual({ say: 'link', device: bob.id, key: 'removed', opened: false })
    expect(ada.last('sending')).toEqual({ status: 'cancelled', by: 'me' })
    // It opens another one, and wants on.
    const another = between('another')
    await another.opens()
    for (let step = 0; step < 5; step++) {
      another.carries(10)
      await server.carries()
    }
    expect(another.toBob.filter((frame) => decodeFrame(frame)?.type === 'chunk')).toEqual([])
    expect(bob.last('receiving')?.status).not.toBe('done')
    // Allowed again, it is listed.
    ada.seesNobody()
    ada.sees(bob)
    await passes(4 * STALL_MS)
    await server.carries()
    expect(bob.last('receiving')?.status).toBe('done')
  })
})

describe('an end', () => {
  it('f7_that_is_said_again_because_its_link_closed_is_repeated_until_it_is_heard', async () => {
    const channel = between('short')
    await channel.opens()
    ada.offers(new Blob([bytes(10)]), FILES[0])
    bob.receives(10, ada, FILES[0])
    for (let step = 0; step < 10 && bob.last('receiving')?.status !== 'done'; step++) {
      channel.carries(10)
      await settles()
    }
    // The answer never comes, and Bob has said it as often as he does.
    for (let step = 0; step < 10; step++) {
      channel.toAda.length = 0
      await settles(STALL_MS)
    }
    expect(ada.last('sending')?.status).not.toBe('done')
    await channel.closes()
    // What is said when the link closes is lost as well.
    bob.outgoing.length = 0
    await passes(2 * STALL_MS)
    expect(ada.last('sending')?.status).toBe('done')
  })
})

describe('three devices', () => {
  const begins = async () => {
    ada.offers(new Blob([bytes(2 * MIB)]), FILES[0])
    bob.receives(2 * MIB, ada, FILES[0])
    cat.receives(2 * MIB, ada, FILES[0])
    await settles()
    server.carriesSome(8)
    await settles()
  }

  it('are independent: one leaves, and the other receives to the end', async () => {
    await begins()
    ada.seesAll(bob)
    bob.seesAll(ada)
    server.loses = (_frame, { from, to }) => from === cat.id || to === cat.id
    await server.carries()
    expect(Buffer.compare((await bob.has(FILES[0])) ?? Buffer.alloc(0), bytes(2 * MIB))).toBe(0)
    const toCat = ada.news.filter((event) => event.say === 'sending' && event.device === cat.id)
    expect(toCat.at(-1)).toMatchObject({ progress: { status: 'parked' } })
  })

  it('receive the same file from one, each its own copy', async () => {
    await begins()
    await server.carries()
    for (const device of [bob, cat]) expect(device.last('receiving', FILES[0])?.status).toBe('done')
    expect(server.carried).toBe(4 * MIB)
  })

  it('share the way to the server: no more waits in the websocket than its bound, and both get on', async () => {
    const waiting = () => ada.outgoing.reduce((sum, { frame }) => sum + frame.byteLength, 0)
    ada.unsent = waiting
    const limit = 512 * KIB + 2 * 64 * KIB
    ada.offers(new Blob([bytes(2 * MIB)]), FILES[0])
    bob.receives(2 * MIB, ada, FILES[0])
    cat.receives(2 * MIB, ada, FILES[0])
    for (let step = 0; step < 300; step++) {
      expect(waiting()).toBeLessThanOrEqual(limit)
      server.carriesSome(2)
      await settles(20)
    }
    await server.carries()
    for (const device of [bob, cat]) expect(device.last('receiving', FILES[0])?.status).toBe('done')
    expect(server.carried).toBe(4 * MIB)
  })
})

describe('a file that its system fetches before it can be read', () => {
  it('f12_keeps_its_link_alive_meanwhile, and is sent once', async () => {
    const channel = between('patient')
    await channel.opens()
    const content = bytes(64 * KIB)
    const file = new Blob([content])
    const slow = new Promise<ArrayBuffer>((resolve) =>
      setTimeout(() => resolve(content.buffer), 3 * STALL_MS),
    )
    vi.spyOn(file, 'slice').mockReturnValue({ arrayBuffer: () => slow } as unknown as Blob)
    ada.offers(file)
    bob.receives(content.length, ada)
    let carried = 0
    for (let step = 0; step < 300 && bob.last('receiving')?.status !== 'done'; step++) {
      for (const buffer of channel.toBob.slice(0, 10)) {
        const frame = decodeFrame(buffer)
        if (frame?.type === 'chunk') carried += frame.bytes.byteLength
      }
      channel.carries(10)
      await settles(100)
    }
    expect(bob.last('receiving')?.status).toBe('done')
    expect(carried).toBe(content.length)
    expect(bob.news.filter(({ say }) => say === 'stalled')).toEqual([])
  })
})
