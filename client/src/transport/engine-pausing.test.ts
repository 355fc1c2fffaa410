import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Frame } from '../protocol/frames'
import {
  adaAndBob,
  bytes,
  FILE,
  FILES,
  incomingFile,
  MIB,
  type Sent,
  type StageDevice,
  StageServer,
  settles,
  someMoves,
  stageDevice,
} from './engine-stage'

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

const frames = (type: Frame['type']) => {
  const seen: Sent[] = []
  server.loses = (frame, one) => {
    if (frame.type === type) seen.push(one)
    return false
  }
  return seen
}

describe('a transfer that the receiver pauses', () => {
  it('f18_stops_at_once_and_both_say_by_whom_it_was_paused', async () => {
    await moves()
    const before = server.carried
    bob.pauses()
    const here = bob.received()
    expect(bob.last('receiving')).toEqual({ status: 'paused', bytes: here, by: 'me' })
    await server.carries()
    expect(ada.last('sending')).toMatchObject({ status: 'paused', by: 'them' })
    // What was on its way counts among what the server carried, and is dropped.
    expect(server.carried - before).toBeLessThan(MIB)
    const wants = frames('want')
    await settles(60_000)
    await server.carries()
    expect(wants).toEqual([])
    expect(bob.received()).toBe(here)
    expect(bob.last('receiving')?.status).toBe('paused')
    expect(ada.last('sending')?.status).toBe('paused')
  })

  it('f18_goes_on_where_it_was_when_the_person_resumes_it', async () => {
    await moves()
    bob.pauses()
    const here = bob.received()
    await server.carries()
    const before = server.carried
    bob.resumes()
    expect(bob.last('receiving')).toEqual({ status: 'queued', bytes: here })
    await server.carries()
    expect(await bob.hasWhole(sent)).toBe(true)
    expect(server.carried - before).toBe(SIZE - here)
    expect(ada.last('sending')?.status).toBe('done')
  })

  it('f18_goes_on_also_when_it_is_resumed_before_the_sender_has_heard_of_the_pause', async () => {
    await moves()
    bob.pauses()
    bob.resumes()
    bob.pauses()
    bob.resumes()
    await server.carries()
    expect(await bob.hasWhole(sent)).toBe(true)
  })

  it('f18_stays_paused_when_the_sender_leaves_and_comes_back', async () => {
    await moves()
    bob.pauses()
    await server.carries()
    const before = server.carried
    bob.seesNobody()
    ada.seesNobody()
    bob.sees(ada)
    ada.sees(bob)
    await server.carries()
    expect(server.carried).toBe(before)
    expect(bob.last('receiving')?.status).toBe('paused')
    bob.resumes()
    await server.carries()
    expect(await bob.hasWhole(sent)).toBe(true)
  })

  it('leaves its turn to the next file', async () => {
    for (const id of FILES) ada.offers(new Blob([sent]), id)
    const fourth = FILE.replace(/^0/, '3') as typeof FILE
    ada.offers(new Blob([sent]), fourth)
    for (const id of [...FILES, fourth]) bob.receives(SIZE, ada, id)
    await settles()
    expect(bob.last('receiving', fourth)).toEqual({ status: 'queued', bytes: 0 })
    for (const id of FILES) bob.pauses(id)
    await server.carries()
    expect(await bob.hasWhole(sent, fourth)).toBe(true)
    for (const id of FILES) bob.resumes(id)
    await server.carries()
    for (const id of FILES) expect(await bob.hasWhole(sent, id)).toBe(true)
  })

  it('can be cancelled, and its bytes are removed', async () => {
    await moves()
    bob.pauses()
    bob.cancels()
    await server.carries()
    expect(bob.last('receiving')).toEqual({ status: 'cancelled', by: 'me' })
    expect(ada.last('sending')).toEqual({ status: 'cancelled', by: 'them' })
    bob.resumes()
    await server.carries()
    expect(bob.last('receiving')?.status).toBe('cancelled')
  })

  it('f7_is_cancelled_also_where_only_the_pause_before_was_heard', async () => {
    await moves()
    server.loses = ({ type }) => type === 'chunk'
    await server.carries()
    bob.pauses()
    server.carriesSome(8)
    expect(ada.last('sending')).toMatchObject({ status: 'paused', by: 'them' })
    bob.cancels()
    bob.outgoing.length = 0
    await server.carries()
    expect(ada.last('sending')).toEqual({ status: 'cancelled', by: 'them' })
    await settles(60_000)
    expect(bob.outgoing).toEqual([])
  })

  it('ends when its sender may no longer be in the beam', async () => {
    await moves()
    bob.pauses()
    bob.hasRemoved(ada)
    expect(bob.last('receiving')).toMatchObject({ status: 'failed', why: { reason: 'sourceRemoved' } })
  })

  it('is paused while the disk still opens it, and goes on with the sink that opened meanwhile', async () => {
    let open = () => {}
    const isOpen = new Promise<void>((resolve) => {
      open = resolve
    })
    const opens = vi.fn(async () => {
      await isOpen
      return bob.memory.open(incomingFile(SIZE, ada))
    })
    bob.sink = opens
    ada.offers(new Blob([sent]))
    bob.receives(SIZE, ada)
    await settles()
    bob.pauses()
    open()
    await server.carries()
    expect(server.carried).toBe(0)
    bob.resumes()
    await server.carries()
    expect(await bob.hasWhole(sent)).toBe(true)
    expect(opens).toHaveBeenCalledOnce()
  })

  it('cannot be paused once its last bytes are here', async () => {
    ada.offers(new Blob([sent]))
    bob.receives(SIZE, ada)
    await server.carries()
    bob.pauses()
    await server.carries()
    expect(bob.last('receiving')?.status).toBe('done')
  })
})

describe('a transfer that the sender pauses', () => {
  it('f18_stops_at_once_and_goes_on_where_it_was_when_the_sender_resumes_it', async () => {
    await moves()
    const here = bob.received()
    ada.pauses()
    expect(ada.last('sending')).toMatchObject({ status: 'paused', by: 'me' })
    await server.carries()
    await settles(60_000)
    await server.carries()
    expect(bob.last('receiving')).toMatchObject({ status: 'paused', by: 'them' })
    // The person there cannot go on with it.
    bob.resumes()
    await server.carries()
    expect(bob.last('receiving')?.status).toBe('paused')

    ada.resumes()
    await server.carries()
    expect(await bob.hasWhole(sent)).toBe(true)
    expect(ada.last('sending')?.status).toBe('done')
    expect(server.carried).toBeLessThanOrEqual(SIZE + MIB)
    expect(here).toBeGreaterThan(0)
  })

  it('f18_goes_on_also_when_it_is_resumed_before_the_receiver_has_heard_of_the_pause', async () => {
    await moves()
    ada.pauses()
    ada.resumes()
    await server.carries()
    expect(await bob.hasWhole(sent)).toBe(true)
  })

  it('f18_goes_on_also_when_a_late_copy_of_the_pause_arrives_after_it_was_resumed', async () => {
    await moves()
    const cancels = frames('cancel')
    ada.pauses()
    await server.carries()
    ada.resumes()
    for (let round = 0; round < 4; round += 1) {
      server.carriesSome(8)
      await settles()
    }
    const [late] = cancels
    if (late) bob.hears(late)
    expect(bob.last('receiving')).toMatchObject({ status: 'paused', by: 'them' })
    await server.carries()
    expect(await bob.hasWhole(sent)).toBe(true)
  })

  it('f18_goes_on_also_when_pauses_of_both_ends_are_heard_late', async () => {
    await moves()
    const cancels = frames('cancel')
    ada.pauses()
    bob.pauses()
    await server.carries()
    const late = [...cancels]
    expect(late).toHaveLength(2)
    ada.resumes()
    bob.resumes()
    for (let round = 0; round < 4; round += 1) {
      server.carriesSome(8)
      await settles()
    }
    // What Bob wants has come already: no more of it is on its way.
    let isOffered = false
    server.loses = ({ type }) => {
      isOffered ||= type === 'offered'
      return type === 'want' && !isOffered
    }
    for (const cancel of late) (cancel.from === ada.id ? bob : ada).hears(cancel)
    expect(bob.last('receiving')).toMatchObject({ status: 'paused', by: 'them' })
    expect(ada.last('sending')).toMatchObject({ status: 'paused', by: 'them' })
    await server.carries()
    expect(await bob.hasWhole(sent)).toBe(true)
  })

  it('f18_goes_on_after_the_worker_of_the_sender_that_had_paused_it_was_replaced', async () => {
    await moves()
    ada.pauses()
    await server.carries()
    // A new worker knows the file, and no transfer of it.
    const again = stageDevice('a')
    again.offers(new Blob([sent]))
    again.sees(bob)
    const all = new StageServer(again, bob)
    again.engine.handle({ do: 'resume', id: FILE, device: bob.id })
    await all.carries()
    expect(await bob.hasWhole(sent)).toBe(true)
  })

  describe('in a worker that was replaced since', () => {
    let again: StageDevice
    let all: StageServer

    /** The new worker is told again what was paused, before Bob asks it for anything. */
    beforeEach(async () => {
      await moves()
      ada.pauses()
      await server.carries()
      again = stageDevice('a')
      again.offers(new Blob([sent]))
      again.engine.handle({ do: 'pause', id: FILE, device: bob.id })
      again.sees(bob)
      all = new StageServer(again, bob)
    })

    /** Bob's first new link opens. */
    const bobAsks = async () => {
      bob.seesNobody()
      bob.sees(again)
      await all.carries()
    }

    it('f18_stays_paused_until_the_sender_goes_on', async () => {
      await bobAsks()
      expect(all.carried).toBe(0)
      expect(again.last('sending')).toMatchObject({ status: 'paused', by: 'me' })
      expect(bob.last('receiving')).toMatchObject({ status: 'paused', by: 'them' })
      again.engine.handle({ do: 'resume', id: FILE, device: bob.id })
      await all.carries()
      expect(await bob.hasWhole(sent)).toBe(true)
    })

    it('f18_goes_on_for_a_receiver_that_asks_after_the_sender_went_on', async () => {
      for (const device of [bob.id, null]) again.engine.handle({ do: 'resume', id: FILE, device })
      await bobAsks()
      expect(await bob.hasWhole(sent)).toBe(true)
    })

    it('f18_goes_on_for_a_receiver_that_asks_nothing_when_the_sender_goes_on_for_all', async () => {
      again.resumes()
      await all.carries()
      expect(await bob.hasWhole(sent)).toBe(true)
    })

    it('f18_is_paused_for_no_other_device, and for this one once', async () => {
      const cyd = stageDevice('c')
      all = new StageServer(again, bob, cyd)
      again.seesAll(bob, cyd)
      cyd.sees(again)
      cyd.receives(SIZE, again)
      await all.carries()
      expect(await cyd.hasWhole(sent)).toBe(true)
      await bobAsks()
      bob.cancels()
      await all.carries()
      bob.receives(SIZE, again)
      await all.carries()
      expect(await bob.hasWhole(sent)).toBe(true)
    })

    it('ends when the sender cancels it', async () => {
      again.engine.handle({ do: 'cancel', id: FILE, device: bob.id })
      await bobAsks()
      expect(all.carried).toBe(0)
      expect(bob.last('receiving')).toEqual({ status: 'cancelled', by: 'them' })
    })
  })

  it('ends when the sender cancels it, also in a worker that replaced the one to which it went', async () => {
    await moves()
    const again = stageDevice('a')
    again.offers(new Blob([sent]))
    again.engine.handle({ do: 'cancel', id: FILE, device: bob.id })
    again.sees(bob)
    bob.seesNobody()
    bob.sees(again)
    await new StageServer(again, bob).carries()
    expect(again.last('sending')).toEqual({ status: 'cancelled', by: 'me' })
    expect(bob.last('receiving')).toEqual({ status: 'cancelled', by: 'them' })
  })

  it('f18_is_paused_also_for_a_receiver_that_comes_back_and_asks_again', async () => {
    await moves()
    ada.pauses()
    await server.carries()
    const before = server.carried
    bob.seesNobody()
    bob.sees(ada)
    await server.carries()
    expect(server.carried).toBe(before)
    expect(bob.last('receiving')).toMatchObject({ status: 'paused', by: 'them' })
    expect(ada.last('sending')).toMatchObject({ status: 'paused', by: 'me' })
    ada.resumes()
    await server.carries()
    expect(await bob.hasWhole(sent)).toBe(true)
  })

  it('f18_goes_on_when_the_receiver_was_away_while_it_was_resumed', async () => {
    await moves()
    ada.pauses()
    await server.carries()
    ada.seesNobody()
    ada.resumes()
    await server.carries()
    expect(bob.last('receiving')?.status).toBe('paused')
    ada.sees(bob)
    await server.carries()
    expect(await bob.hasWhole(sent)).toBe(true)
  })

  it('f18_goes_on_with_a_sender_that_was_reloaded_while_the_receiver_was_offline', async () => {
    await moves()
    ada.pauses()
    await server.carries()
    bob.engine.handle({ do: 'relay', use: null })
    const again = stageDevice('a')
    again.offers(new Blob([sent]))
    again.sees(bob)
    const all = new StageServer(again, bob)
    await all.carries()
    expect(bob.last('receiving')).toMatchObject({ status: 'paused', by: 'them' })
    bob.engine.handle({ do: 'relay', use: 'fallback' })
    await all.carries()
    expect(await bob.hasWhole(sent)).toBe(true)
  })

  it('f18_is_still_paused_for_a_receiver_that_was_offline', async () => {
    await moves()
    ada.pauses()
    await server.carries()
    const before = server.carried
    bob.engine.handle({ do: 'relay', use: null })
    bob.engine.handle({ do: 'relay', use: 'fallback' })
    await server.carries()
    expect(bob.last('receiving')).toMatchObject({ status: 'paused', by: 'them' })
    expect(server.carried).toBe(before)
  })

  it('f18_pauses_for_one_device_and_goes_on_for_the_others', async () => {
    const cyd = stageDevice('c')
    const all = new StageServer(ada, bob, cyd)
    ada.seesAll(bob, cyd)
    cyd.sees(ada)
    ada.offers(new Blob([sent]))
    for (const device of [bob, cyd]) device.receives(SIZE, ada)
    await settles()
    all.carriesSome(8)
    await settles()
    ada.engine.handle({ do: 'pause', id: FILE, device: bob.id })
    await all.carries()
    expect(await cyd.hasWhole(sent)).toBe(true)
    expect(bob.last('receiving')).toMatchObject({ status: 'paused', by: 'them' })
    ada.engine.handle({ do: 'resume', id: FILE, device: bob.id })
    await all.carries()
    expect(await bob.hasWhole(sent)).toBe(true)
  })

  it('f18_goes_on_only_when_both_do_where_both_have_paused_it', async () => {
    for (const [first, second] of [
      [() => ada.resumes(), () => bob.resumes()],
      [() => bob.resumes(), () => ada.resumes()],
    ] as const) {
      await moves()
      ada.pauses()
      bob.pauses()
      await server.carries()
      first()
      await server.carries()
      expect(await bob.hasWhole(sent)).toBe(false)
      const states = [ada.last('sending')?.status, bob.last('receiving')?.status]
      expect(states).toContain('paused')
      second()
      await server.carries()
      expect(await bob.hasWhole(sent)).toBe(true)
      bob.forgets()
      ;({ ada, bob, server } = adaAndBob())
    }
  })
})

describe('a transfer that the sender has paused, and then the receiver too', () => {
  beforeEach(async () => {
    await moves()
    ada.pauses()
    await server.carries()
    expect(bob.last('receiving')).toMatchObject({ status: 'paused', by: 'them' })
    bob.pauses()
  })

  it('f18_says_at_once_that_it_waits_for_the_person_here', async () => {
    expect(bob.last('receiving')).toMatchObject({ status: 'paused', by: 'me' })
  })

  it('f18_goes_on_when_both_do, the sender first', async () => {
    await server.carries()
    const before = server.carried
    ada.resumes()
    await server.carries()
    await settles(10_000)
    await server.carries()
    expect(server.carried).toBe(before)
    expect(ada.last('sending')).toMatchObject({ status: 'paused', by: 'them' })
    bob.resumes()
    await server.carries()
    expect(await bob.hasWhole(sent)).toBe(true)
  })

  it('f18_goes_on_when_both_do, the receiver first', async () => {
    await server.carries()
    bob.resumes()
    await server.carries()
    expect(bob.last('receiving')).toMatchObject({ status: 'paused', by: 'them' })
    ada.resumes()
    await server.carries()
    expect(await bob.hasWhole(sent)).toBe(true)
  })

  it('f18_stays_paused_when_the_sender_leaves_and_comes_back', async () => {
    await server.carries()
    const before = server.carried
    bob.seesNobody()
    bob.sees(ada)
    await server.carries()
    expect(bob.last('receiving')).toMatchObject({ status: 'paused', by: 'me' })
    expect(server.carried).toBe(before)
  })
})
