import { afterEach, beforeEach, describe, expect, it, type Mock, vi } from 'vitest'
import { CHUNK_BYTES, DIRECT_TIMEOUT_MS, type ItemId, SMALLEST_BUDGET_BYTES } from '../protocol/bindings'
import { chunkFrame, decodeFrame, encodeFrame } from '../protocol/frames'
import {
  adaAndBob,
  bytes,
  FILE,
  FILES,
  incomingFile,
  KIB,
  MIB,
  type Sent,
  type StageDevice,
  type StageServer,
  settles,
} from './engine-stage'
import { NoRoom, type Part, type Sink } from './sinks/sink'

let ada: StageDevice
let bob: StageDevice
let server: StageServer

beforeEach(() => {
  ;({ ada, bob, server } = adaAndBob())
})
afterEach(() => vi.useRealTimers())

const framesOf = (device: StageDevice) => device.outgoing.map(({ frame }) => decodeFrame(frame)?.type)

describe('the engine', () => {
  it('l2_moves_a_file_through_the_server_where_there_is_no_webrtc', async () => {
    const content = bytes(3 * MIB + 5)
    ada.offers(new Blob([content]))
    bob.receives(content.length, ada)
    await server.carries()
    expect(Buffer.compare((await bob.has()) ?? Buffer.alloc(0), content)).toBe(0)
    expect(ada.last('sending')?.status).toBe('done')
    expect(server.carried).toBe(content.length)
  })

  it('l2_waits_for_a_data_channel_before_it_takes_the_server', async () => {
    bob.seesNobody()
    bob.sees(ada, true)
    ada.offers(new Blob([bytes(10)]))
    bob.receives(10, ada)
    await vi.advanceTimersByTimeAsync(DIRECT_TIMEOUT_MS - 500)
    expect(bob.outgoing).toHaveLength(0)
    await vi.advanceTimersByTimeAsync(1_000)
    await server.carries()
    expect(bob.last('receiving')?.status).toBe('done')
  })

  it('f2_receives_a_file_without_bytes', async () => {
    ada.offers(new Blob([]))
    bob.receives(0, ada)
    await server.carries()
    expect(bob.last('receiving')?.status).toBe('done')
    expect(ada.last('sending')?.status).toBe('done')
  })

  it('f4_wants_no_more_than_a_window_of_several_files_while_the_disk_is_slow', async () => {
    bob.sink = () => ({
      isKept: true,
      part: null,
      read: null,
      write: () => new Promise(() => {}),
      finish: async () => null,
      discard: async () => {},
    })
    const size = 2 * SMALLEST_BUDGET_BYTES
    ada.offers(new Blob([bytes(size)]))
    bob.receives(size, ada)
    await server.carries()
    const carried = server.carried
    // Less than one more `want` would fit.
    expect(carried).toBeGreaterThan(SMALLEST_BUDGET_BYTES - 16 * CHUNK_BYTES)
    expect(carried).toBeLessThanOrEqual(SMALLEST_BUDGET_BYTES)
    for (const id of FILES.slice(1)) {
      ada.offers(new Blob([bytes(size)]), id)
      bob.receives(size, ada, id)
    }
    await server.carries()
    expect(server.carried).toBeLessThanOrEqual(SMALLEST_BUDGET_BYTES)
  })

  it('f4_opens_the_sinks_of_queued_files_when_their_turn_comes', async () => {
    const opened: ItemId[] = []
    bob.sink = (file) => {
      opened.push(file.id)
      return bob.memory.open(file)
    }
    const ids = Array.from({ length: 20 }, (_, i) => FILE.replace(/^../, String(10 + i)) as ItemId)
    for (const id of ids) {
      ada.offers(new Blob([bytes(100 * KIB)]), id)
      bob.receives(100 * KIB, ada, id)
    }
    await settles()
    expect(opened).toEqual(ids.slice(0, 3))
    await server.carries()
    expect(opened).toEqual(ids)
    for (const id of ids) expect(bob.last('receiving', id)?.status).toBe('done')
  })

  it('f4_reports_each_waiting_file_once', async () => {
    for (const id of FILES) bob.receives(MIB, ada, id)
    bob.outgoing.length = 0
    bob.seesNobody()
    bob.sees(ada, true)
    await settles(2_000)
    expect(bob.count('receiving', 'queued')).toBe(6)
    expect(bob.count('receiving', 'parked')).toBe(3)
  })

  it('f6_goes_on_where_it_was_after_the_server_was_away', async () => {
    const size = 2 * SMALLEST_BUDGET_BYTES
    ada.offers(new Blob([bytes(size)]))
    bob.receives(size, ada)
    await settles()
    server.carriesSome(100)
    await settles()
    server.carriesSome(20)
    const durable = server.carried
    // The server dies with everything that is on its way.
    for (const device of [ada, bob]) {
      device.engine.handle({ do: 'relay', use: null })
      device.outgoing.length = 0
      device.seesNobody()
    }
    expect(bob.last('receiving')).toEqual({ status: 'parked', bytes: durable })
    expect(ada.last('sending')?.status).toBe('parked')
    for (const device of [ada, bob]) device.engine.handle({ do: 'relay', use: 'fallback' })
    ada.sees(bob)
    bob.sees(ada)
    await server.carries()
    expect(bob.last('receiving')?.status).toBe('done')
    expect(server.carried).toBe(size)
  })

  it('f10_forgets_a_file_with_its_item: nobody can want it any more', async () => {
    ada.offers(new Blob([bytes(10)]))
    ada.forgets()
    bob.receives(10, ada)
    await server.carries()
    expect(server.carried).toBe(0)
    expect(bob.last('receiving')).toMatchObject({
      status: 'failed',
      why: { reason: 'gone' },
    })
  })

  it('f10_frees_the_space_of_a_received_file_with_its_item', async () => {
    ada.offers(new Blob([bytes(10)]))
    bob.receives(10, ada)
    await server.carries()
    bob.forgets()
    expect(bob.forgotten).toEqual([FILE])
  })

  it('f10_gives_the_space_back_of_what_an_earlier_worker_received', () => {
    bob.forgets()
    expect(bob.forgotten).toEqual([FILE])
  })

  it('f10_stops_transfers_in_both_directions_when_the_item_is_gone', async () => {
    const news = () => [...ada.news, ...bob.news].length
    ada.offers(new Blob([bytes(8 * MIB)]))
    bob.receives(8 * MIB, ada)
    await settles()
    server.carriesSome(4)
    await settles()
    bob.forgets()
    const told = news()
    await server.carries()
    expect(ada.last('sending')).toEqual({ status: 'cancelled', by: 'them' })
    expect(server.carried).toBeLessThanOrEqual(SMALLEST_BUDGET_BYTES)
    // The page that deleted the item is told nothing more of it.
    expect(news()).toBe(told + 1)
  })
})

describe('a sink', () => {
  it('f7_that_has_no_room_fails_the_transfer_on_both_sides', async () => {
    bob.sink = () => {
      throw new NoRoom({ reason: 'noRoomHere' })
    }
    ada.offers(new Blob([bytes(10)]))
    bob.receives(10, ada)
    await server.carries()
    expect(bob.last('receiving')).toEqual({
      status: 'failed',
      bytes: 0,
      why: { reason: 'noRoomHere' },
    })
  })

  it('f7_that_breaks_in_the_middle_frees_its_space_and_the_sender_is_told', async () => {
    const discard = vi.fn(async () => {})
    const write = vi.fn<Sink['write']>().mockImplementation(() => {
      if (write.mock.calls.length > 2) throw new NoRoom({ reason: 'diskFull' })
    })
    bob.sink = () => ({ isKept: true, part: null, read: null, write, finish: async () => null, discard })
    ada.offers(new Blob([bytes(2 * MIB)]))
    bob.receives(2 * MIB, ada)
    await server.carries()
    expect(discard).toHaveBeenCalledOnce()
    expect(bob.last('receiving')).toMatchObject({
      status: 'failed',
      why: { reason: 'diskFull' },
    })
    expect(ada.last('sending')).toMatchObject({
      status: 'failed',
      why: { reason: 'noRoomThere' },
    })
  })

  it('f17_that_is_full_is_told_again_to_a_sender_that_offers_the_file_and_not_filled_again', async () => {
    const sink = vi.fn<() => Sink>(() => {
      throw new NoRoom({ reason: 'diskFull' })
    })
    bob.sink = sink
    ada.offers(new Blob([bytes(10)]))
    bob.receives(10, ada)
    await server.carries()
    const frame = encodeFrame({ type: 'offered', transfer: FILE }).buffer
    bob.hears({ from: ada.id, to: bob.id, frame })
    expect(framesOf(bob)).toEqual(['cancel'])
    await server.carries()
    expect(sink).toHaveBeenCalledOnce()
    expect(bob.last('receiving')).toMatchObject({ status: 'failed', why: { reason: 'diskFull' } })
  })

  it('that opens after its transfer was cancelled is discarded; the next one gets the file', async () => {
    const waiting: ((sink: Sink) => void)[] = []
    bob.sink = () => new Promise((resolve) => waiting.push(resolve))
    const late = {
      isKept: true,
      part: null,
      read: null,
      write: vi.fn(),
      finish: vi.fn(),
      discard: vi.fn(async () => {}),
    }
    ada.offers(new Blob([bytes(10)]))
    bob.receives(10, ada)
    bob.cancels()
    bob.receives(10, ada)
    await server.carries()
    waiting[0]?.(late)
    await settles()
    expect(late.discard).toHaveBeenCalledOnce()
    expect(bob.last('receiving')?.status).toBe('queued')
    waiting[1]?.(await bob.memory.open(incomingFile(10, ada)))
    await server.carries()
    expect(late.write).not.toHaveBeenCalled()
    expect(bob.last('receiving')?.status).toBe('done')
  })

  it('that finishes after its transfer was cancelled is discarded', async () => {
    const discard = vi.fn(async () => {})
    let finished: (file: Blob) => void = () => {}
    const finish = () => new Promise<Blob>((resolve) => (finished = resolve))
    bob.sink = () => ({ isKept: true, part: null, read: null, write: () => {}, finish, discard })
    ada.offers(new Blob([bytes(10)]))
    bob.receives(10, ada)
    await server.carries()
    bob.cancels()
    finished(new Blob())
    await server.carries()
    expect(discard).toHaveBeenCalledOnce()
    expect(bob.last('receiving')).toEqual({ status: 'cancelled', by: 'me' })
  })
})

describe('a file of which all is here, and that takes a while to be put into its place', () => {
  let finished: (file: Blob) => void
  let fails: (error: unknown) => void
  let discard: Mock<Sink['discard']>
  let leave: Mock<Part['leave']>

  beforeEach(async () => {
    discard = vi.fn(async () => {})
    const finish = () =>
      new Promise<Blob>((resolve, reject) => {
        finished = resolve
        fails = reject
      })
    leave = vi.fn(async () => {})
    const part = { before: [], isBroken: false, hashes: null, keep: async () => {}, leave }
    bob.sink = () => ({ isKept: true, part, read: null, write: () => {}, finish, discard })
    ada.offers(new Blob([bytes(10)]))
    bob.receives(10, ada)
    await server.carries()
  })

  const adaHasItNoMore = encodeFrame({ type: 'cancel', transfer: FILE, reason: 'gone' }).buffer

  it.each([
    ['is removed from the beam', () => bob.hasRemoved(ada)],
    ['has it no more', () => bob.hears({ from: ada.id, to: bob.id, frame: adaHasItNoMore })],
  ])('f7_is_done_also_where_its_sender_%s_meanwhile', async (_, happens) => {
    happens()
    await settles(1_000)
    expect(bob.count('receiving', 'failed')).toBe(0)
    finished(new Blob(['whole']))
    await settles()
    expect(bob.last('receiving')?.status).toBe('done')
    expect(discard).not.toHaveBeenCalled()
    bob.sees(ada)
    await server.carries()
    expect(ada.last('sending')?.status).toBe('done')
  })

  it('f6_stays_where_the_disk_is_full_at_the_last_step, and is done once there is room', async () => {
    fails(new DOMException('', 'QuotaExceededError'))
    await server.carries()
    expect(bob.last('receiving')).toEqual({ status: 'failed', bytes: 10, why: { reason: 'diskFull' } })
    expect(ada.last('sending')).toMatchObject({ status: 'failed', why: { reason: 'noRoomThere' } })
    expect([leave.mock.calls.length, discard.mock.calls.length]).toEqual([1, 0])

    const { carried } = server
    const part = {
      before: [{ first: 0, count: 1 }],
      isBroken: false,
      hashes: null,
      keep: async () => {},
      leave,
    }
    const whole = new Blob(['whole'])
    const read = (position: number, length: number) => bytes(10).slice(position, position + length)
    bob.sink = () => ({ isKept: true, part, read, write: () => {}, finish: async () => whole, discard })
    bob.receives(10, ada)
    await server.carries()
    expect(bob.last('receiving')).toMatchObject({ status: 'done', file: whole })
    expect(server.carried).toBe(carried)
  })

  it('f6_stays_where_its_beam_was_left_before_the_last_step_failed', async () => {
    bob.leaves()
    fails(new DOMException('', 'QuotaExceededError'))
    await settles()
    expect([leave.mock.calls.length, discard.mock.calls.length]).toEqual([1, 0])
  })

  it('is removed where the last step fails for any other reason', async () => {
    fails(new DOMException('', 'InvalidStateError'))
    await server.carries()
    expect(bob.last('receiving')).toMatchObject({ status: 'failed', why: { reason: 'notWritten' } })
    expect([leave.mock.calls.length, discard.mock.calls.length]).toEqual([0, 1])
  })
})

describe('the end of a transfer', () => {
  const moves = async (size: number) => {
    ada.offers(new Blob([bytes(size)]))
    bob.receives(size, ada)
    await settles()
    server.carriesSome(Number.POSITIVE_INFINITY)
    await settles()
  }

  it('f7_is_sent_to_the_other_side_when_the_receiver_cancels', async () => {
    await moves(20 * CHUNK_BYTES)
    bob.cancels()
    await server.carries()
    expect(bob.last('receiving')).toEqual({ status: 'cancelled', by: 'me' })
    expect(ada.last('sending')).toEqual({ status: 'cancelled', by: 'them' })
  })

  it('f7_is_not_undone_by_wants_that_were_under_way_when_the_sender_cancelled', async () => {
    await moves(8 * MIB)
    server.carriesSome(8)
    expect(framesOf(bob)).toContain('want')
    ada.cancels()
    await server.carries()
    expect(ada.news.at(-1)).toMatchObject({ progress: { status: 'cancelled', by: 'me' } })
    expect(bob.last('receiving')).toEqual({ status: 'cancelled', by: 'them' })
    // It arrives when it is requested again.
    bob.receives(8 * MIB, ada)
    await server.carries()
    expect(bob.last('receiving')?.status).toBe('done')
    expect(ada.last('sending')?.status).toBe('done')
  })

  it('f7_that_overtakes_a_want_on_another_link_is_said_again_when_what_was_wanted_has_come', async () => {
    await moves(8 * MIB)
    server.carriesSome(8)
    expect(framesOf(bob)).toContain('want')
    bob.cancels()
    const isA = (type: string) => (sent: Sent) => decodeFrame(sent.frame)?.type === type
    bob.outgoing.sort((a, b) => Number(isA('cancel')(b)) - Number(isA('cancel')(a)))
    ada.outgoing.length = 0
    for (const sent of bob.outgoing.splice(0)) ada.hears(sent)
    await settles()
    expect(ada.last('sending')?.status).not.toBe('cancelled')
    // The answer comes last, when nothing of the file is left to say that it still goes on.
    ada.outgoing.sort((a, b) => Number(isA('ended')(a)) - Number(isA('ended')(b)))
    expect(framesOf(ada)).toContain('chunk')
    await server.carries()
    expect(ada.last('sending')).toEqual({ status: 'cancelled', by: 'them' })
    expect(bob.last('receiving')).toEqual({ status: 'cancelled', by: 'me' })
    await settles(60_000)
    expect(framesOf(bob)).toEqual([])
  })

  it('f7_is_sent_again_on_the_next_link_until_it_is_answered', async () => {
    server.loses = ({ type }) => type === 'done'
    await moves(10)
    await server.carries()
    expect(bob.last('receiving')?.status).toBe('done')
    expect(ada.last('sending')?.status).not.toBe('done')
    server.loses = () => false
    bob.seesNobody()
    bob.sees(ada)
    await server.carries()
    expect(ada.last('sending')?.status).toBe('done')
    // Once answered, it is not sent again.
    bob.seesNobody()
    bob.sees(ada)
    expect(framesOf(bob)).toEqual([])
  })

  it('f7_is_sent_again_while_no_link_breaks', async () => {
    let lost = 0
    server.loses = ({ type }) => type === 'done' && ++lost === 1
    await moves(10)
    await server.carries()
    await settles(9_000)
    await server.carries()
    expect(ada.last('sending')?.status).toBe('done')
  })

  it('f7_is_not_repeated_forever_to_a_client_that_does_not_answer', async () => {
    let said = 0
    server.loses = ({ type }) => {
      if (type === 'done') said += 1
      return type === 'ended'
    }
    await moves(10)
    for (let minute = 0; minute < 3; minute++) {
      await server.carries()
      await settles(60_000)
      await server.carries()
    }
    expect(said).toBe(5)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('f7_is_reported_to_the_page_once_however_often_it_is_sent', async () => {
    server.loses = ({ type }) => type === 'ended'
    await moves(10)
    await server.carries()
    bob.seesNobody()
    bob.sees(ada)
    await server.carries()
    expect(ada.count('sending', 'done')).toBe(1)
  })

  it('f7_arrives_even_if_the_sender_is_away_when_the_last_byte_is_written', async () => {
    let written = () => {}
    const write = () => new Promise<void>((resolve) => (written = resolve))
    bob.sink = () => ({
      isKept: true,
      part: null,
      read: null,
      write,
      finish: async () => new Blob(['whole']),
      discard: async () => {},
    })
    await moves(10)
    await server.carries()
    bob.seesNobody()
    expect(bob.last('receiving')?.status).toBe('parked')
    written()
    await settles()
    expect(bob.last('receiving')?.status).toBe('done')
    bob.sees(ada)
    await server.carries()
    expect(ada.last('sending')?.status).toBe('done')
  })
})

describe('chunks that nobody wanted', () => {
  const unknown = (i: number) => `${String(i).padStart(8, '0')}-89ab-4cde-8f01-23456789abcd` as ItemId
  const send = (i: number) => {
    const frame = chunkFrame(unknown(i), 0, new Uint8Array(10)).buffer
    bob.hears({ from: ada.id, to: bob.id, frame })
  }

  it('f7_are_answered_once_a_second_and_not_remembered, however many transfers they name', async () => {
    for (let i = 0; i < 1_000; i++) send(i)
    expect(framesOf(bob)).toEqual(['cancel'])
    await settles(1_000)
    send(1_000)
    expect(framesOf(bob)).toEqual(['cancel', 'cancel'])
    await settles(60_000)
    expect(framesOf(bob)).toHaveLength(2)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('f7_are_forgotten_with_the_device_that_left', async () => {
    ada.offers(new Blob([bytes(10)]))
    bob.receives(10, ada)
    bob.forgets()
    bob.seesNobody()
    bob.outgoing.length = 0
    bob.sees(ada)
    expect(framesOf(bob)).toEqual([])
  })
})
