/** The engine on links that are slow, close or open, and with frames that the server refuses. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { STALL_MS } from '../protocol/stall-clock'
import {
  adaAndBob,
  bytes,
  chunkBytes,
  closePorts,
  FILE,
  FILES,
  KIB,
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

/** Makes a data channel between the two devices. */
const between = (key: string) => new StageChannel(key, ada, bob)

const SLOW_SIZE = 1536 * KIB

function bobTakesThree(): void {
  for (const id of FILES) {
    ada.offers(new Blob([bytes(SLOW_SIZE)]), id)
    bob.receives(SLOW_SIZE, ada, id)
  }
}

/** Lets time pass, and the server forward what waits. */
async function passes(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 20) {
    server.carriesSome(Number.POSITIVE_INFINITY)
    await settles(20)
  }
}

const everything = () => FILES.map((id) => bob.last('receiving', id)?.status)
const hasAll = () => everything().every((status) => status === 'done')

describe('l2 three files over a slow wire', () => {
  it('keep their direct link, and nothing is sent twice', async () => {
    const channel = between('slow')
    await channel.opens()
    bobTakesThree()
    // A frame of 64 KiB in half a second is 1 Mbit/s.
    for (let step = 0; step < 200 && !hasAll(); step++) {
      channel.carries(1)
      await settles(500)
    }
    expect(everything()).toEqual(['done', 'done', 'done'])
    expect([...ada.news, ...bob.news].filter(({ say }) => say === 'stalled')).toEqual([])
    expect(channel.carried).toBe(3 * SLOW_SIZE)
  })

  it('keep it when a file is cancelled whose chunks are under way for longer than a dead link is silent', async () => {
    const channel = between('slow')
    await channel.opens()
    const late = 2 * MIB
    ada.offers(new Blob([bytes(late)]))
    ada.offers(new Blob([bytes(MIB)]), FILES[1])
    bob.receives(late, ada)
    for (let step = 0; step < 4; step++) {
      channel.carries(1)
      await settles(500)
    }
    bob.cancels()
    bob.receives(MIB, ada, FILES[1])
    for (let step = 0; step < 80 && bob.last('receiving', FILES[1])?.status !== 'done'; step++) {
      channel.carries(1)
      await settles(500)
    }
    expect(bob.last('receiving', FILES[1])?.status).toBe('done')
    expect(bob.news.filter(({ say }) => say === 'stalled')).toEqual([])
  })

  it('arrive through the server, and nothing is sent twice', async () => {
    bobTakesThree()
    for (let step = 0; step < 200 && !hasAll(); step++) {
      server.carriesSome(1)
      // Bob's frames are small, and his direction is free.
      for (const sent of bob.outgoing.splice(0)) ada.hears(sent)
      await settles(500)
    }
    expect(everything()).toEqual(['done', 'done', 'done'])
    expect(server.carried).toBe(3 * SLOW_SIZE)
  })
})

describe('a link that is silent', () => {
  /** Twelve links, over all of which a large file has begun to come. */
  async function wideBundle() {
    const channels = Array.from({ length: 12 }, (_, at) => between(`link ${at}`))
    for (const channel of channels) await channel.opens()
    ada.offers(new Blob([bytes(64 * MIB)]))
    bob.receives(64 * MIB, ada)
    for (let step = 0; step < 20; step += 1) {
      for (const channel of channels) channel.carries(1)
      await settles(100)
    }
    return channels
  }

  it('l2_is_closed_when_it_is_direct_and_the_relay_continues', async () => {
    const channel = between('dead')
    await channel.opens()
    ada.offers(new Blob([bytes(10)]))
    bob.receives(10, ada)
    await settles(STALL_MS + 500)
    expect(bob.news.filter(({ say }) => say === 'stalled')).toHaveLength(1)
    await channel.closes()
    await server.carries()
    expect(bob.last('receiving')?.status).toBe('done')
  })

  it('l2_is_closed_together_with_its_whole_bundle_when_nothing_comes_on_any_link_of_it', async () => {
    const channels = await wideBundle()
    await settles(STALL_MS + 500)
    const stalled = bob.news.filter(({ say }) => say === 'stalled')
    const names = channels.map((_, at) => `link ${at}`)
    expect(stalled.map((news) => 'key' in news && news.key).sort()).toEqual(names.sort())
  })

  it('l2_is_given_more_time_while_others_of_its_bundle_carry', async () => {
    const channels = await wideBundle()
    for (let passed = 0; passed < 2 * STALL_MS; passed += 500) {
      channels[0]?.carries(1)
      await settles(500)
    }
    expect(bob.news.filter(({ say }) => say === 'stalled')).toEqual([])
  })

  it('r2_is_asked_again_when_it_is_the_server', async () => {
    ada.offers(new Blob([bytes(128 * KIB)]))
    bob.receives(128 * KIB, ada)
    await settles()
    bob.outgoing.length = 0
    await settles(STALL_MS + 500)
    await server.carries()
    expect(bob.last('receiving')?.status).toBe('done')
  })

  it('f6_loses_only_what_was_wanted_from_here, not what the other device wants', async () => {
    // Ada's websocket is full: what Bob wants waits in her engine.
    ada.unsent = () => 10 * MIB
    // All of it fits the first window.
    const size = 100 * KIB
    ada.offers(new Blob([bytes(size)]))
    bob.receives(size, ada)
    bob.offers(new Blob([bytes(size)]), FILES[1])
    ada.receives(size, bob, FILES[1])
    await settles()
    for (const sent of bob.outgoing.splice(0)) ada.hears(sent)
    bob.outgoing.length = 0
    // What Ada wants stays away for so long that she asks again. Bob does not ask again.
    server.loses = ({ type }, { from }) => from === bob.id || type === 'want'
    await passes(2 * STALL_MS)
    ada.unsent = () => 0
    await passes(1_000)
    expect(bob.last('receiving')?.status).toBe('done')
  })

  it('does not count the time that the device slept', async () => {
    const channel = between('asleep')
    await channel.opens()
    ada.offers(new Blob([bytes(10)]))
    bob.receives(10, ada)
    await settles()
    // The clock goes on while no timer runs.
    vi.setSystemTime(Date.now())
    const now = performance.now()
    vi.spyOn(performance, 'now').mockImplementation(() => now + 60_000)
    await vi.advanceTimersByTimeAsync(300)
    expect(bob.news.filter(({ say }) => say === 'stalled')).toEqual([])
    vi.mocked(performance.now).mockRestore()
  })
})

describe('a direct link', () => {
  it("that closes late does not affect the device's new links", async () => {
    const old = between('old')
    await settles()
    ada.seesNobody()
    bob.seesNobody()
    ada.sees(bob)
    bob.sees(ada)
    ada.offers(new Blob([bytes(2 * MIB)]))
    bob.receives(2 * MIB, ada)
    await settles()
    server.carriesSome(8)
    await old.closes()
    await server.carries()
    expect(bob.last('receiving')?.status).toBe('done')
    expect(bob.count('receiving', 'parked')).toBe(0)
    expect(server.carried).toBe(2 * MIB)
  })

  it('l6_that_this_device_drops_is_not_told_as_the_server_when_its_last_chunks_arrive', async () => {
    const [dropped, kept] = [between('dropped'), between('kept')]
    await dropped.opens()
    await kept.opens()
    ada.offers(new Blob([bytes(4 * MIB)]))
    bob.receives(4 * MIB, ada)
    await settles()
    dropped.carries(0)
    kept.carries(0)
    await settles()
    expect(dropped.toBob.some((frame) => chunkBytes(frame) > 0)).toBe(true)
    bob.engine.handle({ do: 'dropChannel', device: ada.id, key: 'dropped' })
    while (bob.last('receiving')?.status !== 'done') {
      dropped.carries(1)
      kept.carries(1)
      await settles(10)
    }
    expect(bob.last('receiving')).toMatchObject({ via: { links: ['dropped', 'kept'], server: false } })
    expect(server.carried).toBe(0)
  })

  it('f6_that_closes_at_one_end_keeps_what_is_wanted_on_other_links', async () => {
    ada.unsent = () => 10 * MIB
    // All of it fits the first window.
    ada.offers(new Blob([bytes(100 * KIB)]))
    bob.receives(100 * KIB, ada)
    await settles()
    for (const sent of bob.outgoing.splice(0)) ada.hears(sent)
    const channel = between('short')
    await channel.opens()
    await channel.closes()
    server.loses = (_frame, { from }) => from === bob.id
    ada.unsent = () => 0
    await passes(1_000)
    expect(bob.last('receiving')?.status).toBe('done')
  })

  it('that the page has ended is not used any more, though nothing is heard of its channel', async () => {
    const channel = between('ended')
    await channel.opens()
    for (const [one, other] of [
      [ada, bob],
      [bob, ada],
    ] as const) {
      one.engine.handle({ do: 'dropChannel', device: other.id, key: channel.key })
      expect(one.news.at(-1)).toEqual({ say: 'link', device: other.id, key: channel.key, opened: false })
    }
    ada.offers(new Blob([bytes(10)]))
    bob.receives(10, ada)
    await server.carries()
    expect(bob.last('receiving')?.status).toBe('done')
  })

  it('f7_that_closes_with_an_unanswered_end_has_it_sent_on_the_next', async () => {
    const channel = between('short')
    await channel.opens()
    ada.offers(new Blob([bytes(10)]))
    bob.receives(10, ada)
    for (let step = 0; step < 10 && bob.last('receiving')?.status !== 'done'; step++) {
      channel.carries(10)
      await settles()
    }
    channel.toAda.length = 0
    await channel.closes()
    await server.carries()
    expect(ada.last('sending')?.status).toBe('done')
  })

  it('f7_that_closes_with_what_a_want_asked_for_that_came_after_the_end_has_the_end_said_again', async () => {
    const slow = between('slow')
    await slow.opens()
    ada.offers(new Blob([bytes(100 * KIB)]))
    bob.receives(100 * KIB, ada)
    await settles()
    const quick = between('quick')
    await quick.opens()
    bob.cancels()
    await settles()
    for (let step = 0; step < 3; step++) {
      quick.carries(0)
      await settles()
    }
    // Ada has heard of the end, and Bob that she has.
    expect([...quick.toAda, ...quick.toBob]).toEqual([])
    slow.carries(0)
    await settles()
    await slow.closes()
    quick.carries(0)
    await settles()
    quick.carries(0)
    await settles()
    expect(ada.last('sending')).toEqual({ status: 'cancelled', by: 'them' })
  })
})

describe('a frame that the server refused', () => {
  const begins = async (size: number) => {
    ada.offers(new Blob([bytes(size)]))
    bob.receives(size, ada)
    await settles()
  }

  it('r2_was_dropped_by_a_full_relay: only it is wanted again, at once', async () => {
    let lost = 0
    server.loses = ({ type }) => {
      if (type !== 'chunk' || lost >= 5) return false
      lost += 1
      ada.isRefused(bob, 'relay_full')
      return true
    }
    await begins(4 * MIB)
    for (let step = 0; step < 100; step++) {
      await server.carries()
      await settles(100)
    }
    expect(bob.last('receiving')?.status).toBe('done')
    expect(server.carried).toBe(4 * MIB + 5 * 64 * KIB)
  })

  it('r2_holds_further_ones_back_for_a_moment', async () => {
    await begins(4 * MIB)
    ada.isRefused(bob, 'relay_full')
    for (const sent of bob.outgoing.splice(0)) ada.hears(sent)
    await settles(500)
    expect(ada.outgoing).toEqual([])
    await settles(1_000)
    expect(ada.outgoing.length).toBeGreaterThan(0)
  })

  it('r3_was_for_a_device_that_is_away: it is wanted again when it is back', async () => {
    await begins(MIB)
    // Bob's `want` frames were refused: Ada was away for a moment, and no device list said so.
    bob.outgoing.length = 0
    bob.isRefused(ada, 'device_gone')
    await settles(500)
    expect(bob.outgoing).toEqual([])
    await settles(1_000)
    await server.carries()
    expect(bob.last('receiving')?.status).toBe('done')
  })

  it('s24_may_not_be_sent_at_all: the transfer fails on both sides', async () => {
    await begins(MIB)
    for (const sent of bob.outgoing.splice(0)) ada.hears(sent)
    await settles()
    ada.isRefused(bob, 'forbidden')
    await server.carries()
    expect(ada.last('sending')).toMatchObject({ status: 'failed', why: { reason: 'readOnly' } })
    expect(bob.last('receiving', FILE)).toMatchObject({ status: 'failed' })
  })
})

describe('a sender whose receiver began anew without a word', () => {
  const begins = () => {
    ada.offers(new Blob([bytes(8 * MIB)]))
    bob.receives(8 * MIB, ada)
  }

  it('f6_waits for it when its direct link closes', async () => {
    const channel = between('broken')
    await channel.opens()
    begins()
    for (let step = 0; step < 6; step++) {
      channel.carries(2)
      await settles(100)
    }
    expect(ada.last('sending')?.status).toBe('moving')
    // The new page of the other device takes up the same place in the list, and wants nothing.
    await channel.closes()
    await settles(500)
    expect(ada.last('sending')?.status).toBe('parked')
  })

  it('f6_waits for it when its own way to the server breaks', async () => {
    begins()
    await settles()
    server.carriesSome(4)
    await settles(300)
    expect(ada.last('sending')?.status).toBe('moving')
    ada.engine.handle({ do: 'relay', use: null })
    expect(ada.last('sending')?.status).toBe('parked')
  })

  it('waits for it when nothing is wanted any more, and goes on with the next want', async () => {
    begins()
    await settles()
    server.carriesSome(4)
    await settles(300)
    bob.outgoing.length = 0
    server.loses = (_frame, { from }) => from === bob.id
    await passes(5 * STALL_MS)
    expect(ada.last('sending')?.status).toBe('parked')
    server.loses = () => false
    await passes(2 * STALL_MS)
    await server.carries()
    expect(bob.last('receiving')?.status).toBe('done')
  })
})

describe('l6 the report of a file that moves', () => {
  const via = (device: StageDevice, say: 'receiving' | 'sending') => {
    const progress = device.last(say)
    return progress && 'via' in progress ? progress.via : null
  }

  it('names each link that carries it, at both ends', async () => {
    const channels = [between('one'), between('two')]
    for (const channel of channels) await channel.opens()
    ada.offers(new Blob([bytes(32 * MIB)]))
    bob.receives(32 * MIB, ada)
    for (let step = 0; step < 20; step += 1) {
      for (const channel of channels) channel.carries(1)
      await settles(100)
    }
    for (const told of [via(bob, 'receiving'), via(ada, 'sending')]) {
      expect([...(told?.links ?? [])].sort()).toEqual(['one', 'two'])
      expect(told?.server).toBe(false)
    }
  })

  it('tells the server when the links are gone', async () => {
    const channel = between('one')
    await channel.opens()
    ada.offers(new Blob([bytes(32 * MIB)]))
    bob.receives(32 * MIB, ada)
    channel.carries(4)
    await settles(300)
    expect(via(bob, 'receiving')).toEqual({ links: ['one'], server: false })
    await channel.closes()
    for (let step = 0; step < 20; step += 1) {
      server.carriesSome(1)
      await settles(100)
    }
    expect(via(bob, 'receiving')).toEqual({ links: [], server: true })
    expect(via(ada, 'sending')).toEqual({ links: [], server: true })
  })
})
