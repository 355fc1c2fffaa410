import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CHUNK_BYTES } from '../protocol/bindings'
import {
  adaAndBob,
  bytes,
  FILE,
  FILES,
  MIB,
  type StageDevice,
  StageServer,
  settles,
  someMoves,
  stageDevice,
} from './engine-stage'
import { PROGRESS_INTERVAL_MS } from './progress'
import type { Part, Sink } from './sinks/sink'

const SIZE = 4 * MIB
const sent = bytes(SIZE)

let ada: StageDevice
let bob: StageDevice
let server: StageServer

beforeEach(() => {
  ;({ ada, bob, server } = adaAndBob())
})
afterEach(() => vi.useRealTimers())

const moves = () => someMoves(ada, bob, server, sent)

describe('the files of a sender that stops all of them', () => {
  const five = [...FILES, ...['3', '4'].map((digit) => FILE.replace(/^0/, digit) as typeof FILE)]
  const content = bytes(MIB)

  /** Bob asks for all of them. Of the last ones Ada hears nothing before their turn comes. */
  async function someOfFiveMove(): Promise<void> {
    for (const id of five) ada.offers(new Blob([content]), id)
    for (const id of five) bob.receives(MIB, ada, id)
    await settles()
    server.carriesSome(8)
    await settles(300)
    expect(ada.last('sending')?.status).toBe('moving')
    expect(ada.last('sending', five[4])).toBeUndefined()
  }

  it('f18_are_paused_before_any_is_wanted_that_waits_for_its_turn', async () => {
    await someOfFiveMove()
    for (const id of five.toReversed()) ada.pauses(id)
    await server.carries()
    const before = server.carried
    await settles(60_000)
    await server.carries()
    expect(server.carried).toBe(before)
    for (const id of five) {
      expect(ada.last('sending', id)).toMatchObject({ status: 'paused', by: 'me' })
      expect(bob.last('receiving', id)).toMatchObject({ status: 'paused', by: 'them' })
    }
    for (const id of five) ada.resumes(id)
    await server.carries()
    for (const id of five) expect(await bob.hasWhole(content, id)).toBe(true)
  })

  it('f18_are_paused_also_for_a_device_that_wants_one_later, and not once they go on for another', async () => {
    await someOfFiveMove()
    for (const id of five) ada.pauses(id)
    await server.carries()
    const [cyd, dan] = [stageDevice('c'), stageDevice('d')]
    const all = new StageServer(ada, bob, cyd, dan)
    ada.seesAll(bob, cyd, dan)
    cyd.sees(ada)
    cyd.receives(MIB, ada)
    await settles()
    await all.carries()
    expect(cyd.last('receiving')).toMatchObject({ status: 'paused', by: 'them' })
    ada.engine.handle({ do: 'resume', id: FILE, device: bob.id })
    dan.sees(ada)
    dan.receives(MIB, ada)
    await settles()
    await all.carries()
    expect(await bob.hasWhole(content)).toBe(true)
    expect(await dan.hasWhole(content)).toBe(true)
  })

  it('end where their receiver waits for them, which may ask for one again', async () => {
    await someOfFiveMove()
    for (const id of five) ada.cancels(id)
    await server.carries()
    for (const id of five) {
      expect(ada.last('sending', id)).toEqual({ status: 'cancelled', by: 'me' })
      expect(bob.last('receiving', id)).toEqual({ status: 'cancelled', by: 'them' })
    }
    const [, , , fourth] = five
    bob.receives(MIB, ada, fourth)
    await server.carries()
    expect(await bob.hasWhole(content, fourth)).toBe(true)
  })

  it('are received by a device that came after they were cancelled', async () => {
    await someOfFiveMove()
    for (const id of five) ada.cancels(id)
    const cyd = stageDevice('c')
    const all = new StageServer(ada, bob, cyd)
    ada.seesAll(bob, cyd)
    cyd.sees(ada)
    cyd.receives(MIB, ada, five[4])
    await settles()
    await all.carries()
    expect(await cyd.hasWhole(content, five[4])).toBe(true)
  })

  it('f18_wait_for_both_where_the_receiver_had_paused_one_of_them_before', async () => {
    await moves()
    bob.pauses()
    await server.carries()
    ada.pauses()
    await server.carries()
    const before = server.carried
    bob.resumes()
    await server.carries()
    expect(server.carried).toBe(before)
    expect(bob.last('receiving')).toMatchObject({ status: 'paused', by: 'them' })
    ada.resumes()
    await server.carries()
    expect(await bob.hasWhole(sent)).toBe(true)
  })
})

describe('a paused transfer on the disk', () => {
  const HERE = 32 * CHUNK_BYTES
  let part: { [Name in keyof Part]: Part[Name] }
  let keep: ReturnType<typeof vi.fn<Part['keep']>>

  beforeEach(() => {
    const file = Buffer.alloc(SIZE)
    file.set(sent.subarray(0, HERE))
    keep = vi.fn<Part['keep']>(async () => {})
    part = {
      before: [{ first: 0, count: 32 }],
      isBroken: false,
      hashes: null,
      keep,
      leave: vi.fn(async () => {}),
    }
    bob.sink = (): Sink => ({
      isKept: true,
      part,
      read: (position, length) => new Uint8Array(file.subarray(position, position + length)),
      write: (position, bytes) => void file.set(bytes, position),
      finish: async () => new Blob([file]),
      discard: async () => {},
    })
  })

  it('is entered as paused at once, and no longer when it goes on', async () => {
    bob.finds = async () => ({ is: 'begun', bytes: HERE, isPaused: false })
    await moves()
    bob.pauses()
    await settles()
    expect(keep.mock.lastCall?.[1]).toBe(true)
    bob.resumes()
    await settles()
    expect(keep.mock.lastCall?.[1]).toBe(false)
  })

  it('is left as paused when its beam is left', async () => {
    bob.finds = async () => ({ is: 'begun', bytes: HERE, isPaused: false })
    await moves()
    bob.pauses()
    bob.leaves()
    await settles()
    expect(keep.mock.lastCall?.[1]).toBe(true)
    expect(part.leave).toHaveBeenCalledOnce()
  })

  it('waits on a later page until the person resumes it, whatever its sender offers', async () => {
    bob.finds = async () => ({ is: 'begun', bytes: HERE, isPaused: true })
    ada.offers(new Blob([sent]))
    bob.looks(SIZE, ada)
    await settles()
    await server.carries()
    expect(bob.last('receiving')).toEqual({ status: 'paused', bytes: HERE, by: 'me' })
    expect(server.carried).toBe(0)
    bob.resumes()
    await server.carries()
    expect(await bob.hasWhole(sent)).toBe(true)
    expect(server.carried).toBe(SIZE - HERE)
  })

  it('waits on a later page also when that page would receive the file by itself', async () => {
    bob.finds = async () => ({ is: 'begun', bytes: HERE, isPaused: true })
    ada.offers(new Blob([sent]))
    bob.receives(SIZE, ada)
    await settles()
    await server.carries()
    expect(bob.last('receiving')).toEqual({ status: 'paused', bytes: HERE, by: 'me' })
    expect(server.carried).toBe(0)
  })

  it('f18 is entered as paused, and as gone on with, also where it waits for its sender and is not open', async () => {
    bob.finds = async () => ({ is: 'begun', bytes: HERE, isPaused: false })
    bob.seesNobody()
    bob.looks(SIZE, ada)
    await settles()
    bob.pauses()
    bob.resumes()
    expect(bob.turned).toEqual([true, false].map((isPaused) => ({ item: FILE, isPaused })))
    bob.sees(ada)
    ada.offers(new Blob([sent]))
    await server.carries()
    expect(await bob.hasWhole(sent)).toBe(true)
  })

  it('f18 is entered as paused also where the person has paused it while it was searched for', async () => {
    bob.finds = async () => ({ is: 'begun', bytes: HERE, isPaused: false })
    bob.seesNobody()
    bob.looks(SIZE, ada)
    bob.pauses()
    await settles()
    expect(bob.turned).toEqual([{ item: FILE, isPaused: true }])
  })

  it('is paused, cancelled or gone on with also while it is still searched for', async () => {
    let find = () => {}
    bob.finds = async () => {
      await new Promise<void>((resolve) => {
        find = resolve
      })
      return { is: 'begun', bytes: HERE, isPaused: false }
    }
    ada.offers(new Blob([sent]))
    bob.receives(SIZE, ada)
    bob.pauses()
    expect(bob.last('receiving')).toEqual({ status: 'paused', bytes: 0, by: 'me' })
    bob.cancels()
    expect(bob.last('receiving')).toEqual({ status: 'cancelled', by: 'me' })
    find()

    bob.receives(SIZE, ada)
    bob.pauses()
    find()
    await server.carries()
    expect(bob.last('receiving')).toEqual({ status: 'paused', bytes: HERE, by: 'me' })
    expect(server.carried).toBe(0)
    bob.cancels()

    bob.receives(SIZE, ada)
    bob.pauses()
    bob.resumes()
    find()
    await server.carries()
    expect(await bob.hasWhole(sent)).toBe(true)
  })

  it('f7_is_not_refused_while_it_is_still_searched_for, so the sender does not count it as cancelled', async () => {
    ada.offers(new Blob([sent]))
    bob.receives(SIZE, ada)
    await settles()
    server.carriesSome(8)
    await settles()
    expect(ada.outgoing.length).toBeGreaterThan(0)
    // The chunks under way arrive at a new worker of Bob's.
    bob = stageDevice('b')
    server = new StageServer(ada, bob)
    bob.sees(ada)
    let find = () => {}
    bob.finds = async () => {
      await new Promise<void>((resolve) => {
        find = resolve
      })
      return { is: 'begun', bytes: HERE, isPaused: false }
    }
    bob.looks(SIZE, ada)
    await server.carries()
    expect(ada.last('sending')?.status).not.toBe('cancelled')
    find()
    await server.carries()
    expect(await bob.hasWhole(sent)).toBe(true)
    expect(ada.count('sending', 'cancelled')).toBe(0)
  })

  it('f18_goes_on_where_the_person_has_gone_on_with_it_while_it_was_searched_for', async () => {
    bob.finds = async () => ({ is: 'begun', bytes: HERE, isPaused: true })
    ada.offers(new Blob([sent]))
    bob.receives(SIZE, ada)
    bob.resumes()
    await server.carries()
    expect(await bob.hasWhole(sent)).toBe(true)
  })

  it('is removed when the person cancels it on a later page', async () => {
    bob.finds = async () => ({ is: 'begun', bytes: HERE, isPaused: true })
    bob.looks(SIZE, ada)
    await settles()
    bob.cancels()
    await settles()
    expect(bob.last('receiving')).toEqual({ status: 'cancelled', by: 'me' })
    expect(bob.forgotten).toEqual([FILE])
  })

  it('is removed also when the person cancels it while it is still searched for, and its sender hears of it', async () => {
    ada.offers(new Blob([sent]))
    bob.receives(SIZE, ada)
    await settles()
    server.carriesSome(8)
    await settles(PROGRESS_INTERVAL_MS)
    expect(ada.last('sending')?.status).toBe('moving')
    bob = stageDevice('b')
    server = new StageServer(ada, bob)
    bob.sees(ada)
    bob.finds = async () => ({ is: 'begun', bytes: HERE, isPaused: false })
    bob.looks(SIZE, ada)
    bob.cancels()
    await server.carries()
    expect(bob.last('receiving')).toEqual({ status: 'cancelled', by: 'me' })
    expect(bob.forgotten).toEqual([FILE])
    expect(ada.last('sending')).toEqual({ status: 'cancelled', by: 'them' })
  })

  it('is removed also when an earlier worker failed with it, and this one does not know it', () => {
    bob.cancels()
    expect(bob.forgotten).toEqual([FILE])
    expect(bob.last('receiving')).toBeUndefined()
  })
})
