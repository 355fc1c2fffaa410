import { afterEach, beforeEach, describe, expect, it, type Mock, vi } from 'vitest'
import { CHUNK_BYTES } from '../protocol/bindings'
import { encodeFrame } from '../protocol/frames'
import {
  adaAndBob,
  bytes,
  closePorts,
  FILE,
  FILES,
  incomingFile,
  MIB,
  StageChannel,
  type StageDevice,
  type StageServer,
  settles,
  stageDevice,
} from './engine-stage'
import { PROGRESS_INTERVAL_MS } from './progress'
import { NoRoom, type Part, PartUnopened, type Sink } from './sinks/sink'

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

describe('a file of which a part was received before', () => {
  const SIZE = 4 * MIB
  const sent = bytes(SIZE)
  const before = [
    { first: 0, count: 32 },
    { first: 64, count: 64 },
  ]
  const HERE = 96 * CHUNK_BYTES
  let part: { [Name in keyof Part]: Part[Name] }
  let discard: Mock<() => Promise<void>>

  beforeEach(() => {
    const file = Buffer.alloc(SIZE)
    for (const { first, count } of before)
      file.set(sent.subarray(first * CHUNK_BYTES, (first + count) * CHUNK_BYTES), first * CHUNK_BYTES)
    part = {
      before,
      isBroken: false,
      hashes: null,
      keep: vi.fn(async () => {}),
      leave: vi.fn(async () => {}),
    }
    discard = vi.fn(async () => {})
    bob.finds = async () => ({ is: 'begun', bytes: HERE, isPaused: false })
    bob.sink = () => ({
      isKept: true,
      part,
      read: (position, length) => new Uint8Array(file.subarray(position, position + length)),
      write: (position, bytes) => void file.set(bytes, position),
      finish: async () => new Blob([file]),
      discard,
    })
  })

  it('is gone on with by itself, and only the rest is requested', async () => {
    ada.offers(new Blob([sent]))
    bob.looks(SIZE, ada)
    await settles()
    await server.carries()
    expect(await bob.hasWhole(sent)).toBe(true)
    expect(server.carried).toBe(SIZE - HERE)
  })

  it('waits for its sender, with what is here', async () => {
    bob.seesNobody()
    bob.looks(SIZE, ada)
    await settles()
    expect(bob.last('receiving')).toEqual({ status: 'parked', bytes: HERE })
    ada.offers(new Blob([sent]))
    bob.sees(ada)
    await server.carries()
    expect(await bob.hasWhole(sent)).toBe(true)
  })

  it('is entered in the journal while it comes, once a second', async () => {
    ada.offers(new Blob([sent]))
    bob.looks(SIZE, ada)
    for (let second = 0; second < 3; second += 1) {
      await settles(1_000)
      server.carriesSome(4)
    }
    await settles(1_000)
    expect(bob.last('receiving')?.status).not.toBe('done')
    const kept = vi.mocked(part.keep).mock.calls
    expect(kept.length).toBeGreaterThan(0)
    expect(kept.length).toBeLessThan(5)
    const chunks = kept.map(([durable]) => durable.reduce((sum, { count }) => sum + count, 0))
    expect(chunks[0]).toBeGreaterThan(96)
    expect(chunks).toEqual(chunks.toSorted((a, b) => a - b))
  })

  it('is left with what is here when its beam is left', async () => {
    ada.offers(new Blob([sent]))
    bob.looks(SIZE, ada)
    await settles()
    server.carriesSome(4)
    await settles()
    bob.leaves()
    await server.carries()
    expect(part.leave).toHaveBeenCalledOnce()
    expect(discard).not.toHaveBeenCalled()
  })

  it('f10_is_left_with_what_is_here_when_its_sender_has_it_no_more', async () => {
    bob.looks(SIZE, ada)
    await settles()
    await server.carries()
    expect(bob.last('receiving')).toEqual({ status: 'failed', bytes: HERE, why: { reason: 'gone' } })
    expect(part.leave).toHaveBeenCalledOnce()
    expect(discard).not.toHaveBeenCalled()
  })

  it('is left with what is here also when its sender says so while the disk still opens it', async () => {
    const { sink } = bob
    let open = () => {}
    const isOpen = new Promise<void>((resolve) => {
      open = resolve
    })
    bob.sink = async (file) => {
      await isOpen
      return (await sink?.(file)) ?? bob.memory.open(file)
    }
    bob.looks(SIZE, ada)
    await settles()
    const frame = encodeFrame({ type: 'cancel', transfer: FILE, reason: 'gone' }).buffer
    bob.hears({ from: ada.id, to: bob.id, frame })
    open()
    await settles()
    expect(part.leave).toHaveBeenCalledOnce()
    expect(discard).not.toHaveBeenCalled()
  })

  it('f17_goes_on_by_itself_once_its_sender_has_it_again', async () => {
    bob.looks(SIZE, ada)
    await settles()
    await server.carries()
    expect(bob.last('receiving')?.status).toBe('failed')
    expect(ada.news).toContainEqual({ say: 'missed', id: FILE, device: bob.id })
    ada.offers(new Blob([sent]))
    await server.carries()
    expect(await bob.hasWhole(sent)).toBe(true)
    expect(server.carried).toBe(SIZE - HERE)
  })

  it('f17_is_counted_by_its_sender_from_where_it_goes_on', async () => {
    bob.looks(SIZE, ada)
    await settles()
    await server.carries()
    ada.offers(new Blob([sent]))
    for (let round = 0; round < 6; round += 1) {
      await settles(PROGRESS_INTERVAL_MS)
      server.carriesSome(4)
    }
    const told = ada.news.flatMap((event) => (event.say === 'sending' ? [event.progress] : []))
    expect(told[0]).toEqual({ status: 'parked', bytes: 32 * CHUNK_BYTES })
    const counted = told.flatMap((progress) => (progress.status === 'moving' ? progress.bytes : []))
    expect(Math.min(...counted)).toBeGreaterThan(32 * CHUNK_BYTES)
    await server.carries()
    expect(ada.last('sending')).toMatchObject({ status: 'done', twice: 0 })
  })

  it('f17_is_counted_so_also_where_its_receiver_comes_back_as_another_device', async () => {
    const earlier = stageDevice('c')
    ada.seesAll(bob, earlier)
    ada.offers(new Blob([sent]))
    const want = encodeFrame({ type: 'want', transfer: FILE, first: 0, count: 4 }).buffer
    ada.hears({ from: earlier.id, to: ada.id, frame: want })
    await settles()
    ada.sees(bob)
    bob.looks(SIZE, ada)
    await server.carries()
    const toBob = ada.news.find((event) => event.say === 'sending' && event.device === bob.id)
    expect(toBob).toMatchObject({ progress: { status: 'parked', bytes: 32 * CHUNK_BYTES } })
    expect(await bob.hasWhole(sent)).toBe(true)
  })

  it('f17_goes_on_by_itself_where_the_sender_offered_it_while_no_link_was_open', async () => {
    bob.looks(SIZE, ada)
    await settles()
    await server.carries()
    ada.seesNobody()
    ada.offers(new Blob([sent]))
    await server.carries()
    expect(bob.last('receiving')?.status).toBe('failed')
    ada.sees(bob)
    await server.carries()
    expect(await bob.hasWhole(sent)).toBe(true)
  })

  it('f17_goes_on_by_itself_when_its_sender_comes_back_with_it', async () => {
    bob.looks(SIZE, ada)
    await settles()
    await server.carries()
    bob.seesNobody()
    server.loses = (frame) => frame.type === 'offered'
    ada.offers(new Blob([sent]))
    bob.sees(ada)
    await server.carries()
    expect(await bob.hasWhole(sent)).toBe(true)
  })

  it('f17_each_of_several_files_is_said_to_be_here_once', async () => {
    for (const id of FILES) bob.looks(SIZE, ada, id)
    await settles()
    await server.carries()
    let said = 0
    server.loses = ({ type }) => {
      if (type === 'offered') said += 1
      return type === 'offered'
    }
    for (const id of FILES) ada.offers(new Blob([sent]), id)
    await server.carries()
    expect(said).toBe(FILES.length)
  })

  it('f17_stays_where_it_is_once_the_person_has_given_it_up', async () => {
    bob.looks(SIZE, ada)
    await settles()
    await server.carries()
    bob.cancels()
    expect(bob.forgotten).toEqual([FILE])
    ada.offers(new Blob([sent]))
    await server.carries()
    expect(bob.last('receiving')).toEqual({ status: 'offered' })
    expect(server.carried).toBe(0)
  })

  it('f17_is_cancelled_once_where_the_person_tries_again_and_gives_it_up_meanwhile', async () => {
    bob.looks(SIZE, ada)
    await settles()
    await server.carries()
    bob.receives(SIZE, ada)
    bob.cancels()
    await settles()
    expect(bob.last('receiving')).toEqual({ status: 'cancelled', by: 'me' })
  })

  /** A disk that takes nothing more. */
  const fullSink = (): Sink => ({
    isKept: true,
    read: null,
    part: { ...part, keep: async () => Promise.reject(new NoRoom({ reason: 'diskFull' })) },
    write: () => {
      throw new DOMException('', 'QuotaExceededError')
    },
    finish: async () => null,
    discard,
  })

  it('goes on when the person has made room on the full disk and asks for it again', async () => {
    const { sink } = bob
    bob.sink = fullSink
    ada.offers(new Blob([sent]))
    bob.looks(SIZE, ada)
    await settles()
    await server.carries()
    expect(bob.last('receiving')).toEqual({ status: 'failed', bytes: HERE, why: { reason: 'diskFull' } })
    expect(part.leave).toHaveBeenCalledOnce()
    expect(discard).not.toHaveBeenCalled()

    bob.sink = sink
    bob.receives(SIZE, ada)
    await settles()
    await server.carries()
    expect(await bob.hasWhole(sent)).toBe(true)
  })

  it('f17_is_not_tried_on_the_full_disk_again_before_its_person_asks, whatever connects meanwhile', async () => {
    const { sink } = bob
    const full = vi.fn(fullSink)
    bob.sink = full
    ada.offers(new Blob([sent]))
    bob.looks(SIZE, ada)
    await settles()
    await server.carries()
    expect(bob.last('receiving')).toMatchObject({ status: 'failed', why: { reason: 'diskFull' } })

    bob.engine.handle({ do: 'relay', use: null })
    bob.engine.handle({ do: 'relay', use: 'fallback' })
    await server.carries()
    bob.seesNobody()
    bob.sees(ada)
    await server.carries()
    const channel = new StageChannel('first', ada, bob)
    await channel.opens()
    await channel.closes()
    await server.carries()
    expect(full).toHaveBeenCalledOnce()
    expect(ada.count('sending', 'failed')).toBe(1)

    bob.sink = sink
    bob.receives(SIZE, ada)
    await settles()
    await server.carries()
    expect(await bob.hasWhole(sent)).toBe(true)
  })

  it.each([
    ['there is no room for the rest', new NoRoom({ reason: 'diskFull' }), 'diskFull'],
    ['it cannot be opened now', new PartUnopened(new Error('open already')), 'notWritten'],
  ])('f6 waits with what is here when %s, until the person tries again', async (_, error, reason) => {
    const { sink } = bob
    bob.sink = () => {
      throw error
    }
    ada.offers(new Blob([sent]))
    bob.looks(SIZE, ada)
    await server.carries()
    expect(bob.last('receiving')).toEqual({ status: 'failed', bytes: HERE, why: { reason } })
    expect(bob.forgotten).toEqual([])
    bob.sink = sink
    bob.receives(SIZE, ada)
    await server.carries()
    expect(await bob.hasWhole(sent)).toBe(true)
    expect(server.carried).toBe(SIZE - HERE)
  })

  it.each([
    ['as its sink opens', true],
    ['once the rest is written', false],
  ])('fails where what is here cannot be read %s', async (_, isFailing) => {
    const { sink } = bob
    let reads = 0
    bob.sink = async (file) => {
      const opened = (await sink?.(file)) ?? (await bob.memory.open(file))
      return {
        ...opened,
        write: async (position, bytes) => opened.write(position, bytes),
        read: (position, length) => {
          reads += 1
          if (isFailing || reads > 1) throw new DOMException('', 'InvalidStateError')
          return opened.read?.(position, length) ?? new Uint8Array()
        },
      }
    }
    ada.offers(new Blob([sent]))
    bob.looks(SIZE, ada)
    await settles()
    await server.carries()
    expect(bob.last('receiving')).toMatchObject({ status: 'failed', why: { reason: 'notWritten' } })
  })

  it('stays on the disk when its beam is left while the last bytes are written', async () => {
    const { sink } = bob
    let write = () => {}
    const isWritten = new Promise<void>((resolve) => {
      write = resolve
    })
    const finish = vi.fn(async () => {
      await isWritten
      return new Blob([sent])
    })
    bob.sink = async (file) => ({ ...((await sink?.(file)) ?? bob.memory.open(file)), finish })
    ada.offers(new Blob([sent]))
    bob.looks(SIZE, ada)
    await settles()
    await server.carries()
    expect(finish).toHaveBeenCalledOnce()
    bob.leaves()
    write()
    await settles()
    expect(discard).not.toHaveBeenCalled()
    expect(bob.last('receiving')?.status).not.toBe('done')
  })

  it('is removed when the person cancels it, or deletes its item', async () => {
    for (const end of [() => bob.cancels(), () => bob.forgets()]) {
      ada.offers(new Blob([sent]))
      bob.looks(SIZE, ada)
      await settles()
      end()
      await server.carries()
    }
    expect(discard).toHaveBeenCalledTimes(2)
    expect(part.leave).not.toHaveBeenCalled()
  })

  it('f17_stays_when_the_device_that_shared_it_has_deleted_its_item, and goes on when that was taken back', async () => {
    ada.offers(new Blob([sent]))
    bob.looks(SIZE, ada)
    await settles()
    server.carriesSome(4)
    await settles()
    expect(ada.last('sending')).toBeDefined()
    ada.forgets()
    await server.carries()
    expect(bob.last('receiving')).toMatchObject({ status: 'failed', why: { reason: 'gone' } })
    expect(part.leave).toHaveBeenCalledOnce()
    bob.leaves()
    ada.offers(new Blob([sent]))
    bob.looks(SIZE, ada)
    await server.carries()
    expect(await bob.hasWhole(sent)).toBe(true)
    expect([discard.mock.calls, bob.forgotten]).toEqual([[], []])
  })

  it('is removed also when the person cancels it before its turn has come', async () => {
    bob.seesNobody()
    bob.looks(SIZE, ada)
    await settles()
    bob.cancels()
    await settles()
    expect(bob.forgotten).toEqual([FILE])
  })

  it('f16_has_its_start_reported_from_what_is_here', async () => {
    const head = 16 * CHUNK_BYTES + 9
    ada.offers(new Blob([sent]))
    bob.engine.handle({ do: 'look', file: { ...incomingFile(SIZE, ada), head } })
    await settles()
    await settles()
    expect(bob.news).toContainEqual({ say: 'head', id: FILE, bytes: sent.subarray(0, head) })
  })
})

describe('f19_a_part_of_a_file_that_is_another_one_meanwhile', () => {
  const old = bytes(12 * MIB)

  /** Bob has the first eight pieces of the old file. */
  const hasPart = () => {
    const file = Buffer.alloc(old.byteLength)
    file.set(old.subarray(0, 8 * MIB))
    bob.finds = async () => ({ is: 'begun', bytes: 8 * MIB, isPaused: false })
    bob.sink = () => ({
      isKept: true,
      part: {
        before: [{ first: 0, count: 8 * 64 }],
        isBroken: false,
        hashes: null,
        keep: async () => {},
        leave: async () => {},
      },
      read: (position, length) => new Uint8Array(file.subarray(position, position + length)),
      write: (position, bytes) => void file.set(bytes, position),
      finish: async () => new Blob([file]),
      discard: async () => {},
    })
  }

  it('is received whole, wherever the two differ, and never as a mixture', async () => {
    hasPart()
    const changed = old.slice()
    changed[5 * MIB + 7] = 255 - (changed[5 * MIB + 7] ?? 0)
    ada.offers(new Blob([changed]))
    bob.looks(old.byteLength, ada)
    await server.carries()
    expect(await bob.hasWhole(changed)).toBe(true)
  })

  it('is gone on with at once where it is the same: one question follows the answer to the other', async () => {
    hasPart()
    ada.offers(new Blob([old]))
    bob.looks(old.byteLength, ada)
    const began = performance.now()
    while (bob.last('receiving')?.status !== 'done') {
      server.carriesSome(Number.POSITIVE_INFINITY)
      await settles()
    }
    expect(performance.now() - began).toBeLessThan(1_000)
    expect(server.carried).toBe(4 * MIB)
  })
})
