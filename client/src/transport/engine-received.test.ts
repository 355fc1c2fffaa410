import { afterEach, beforeEach, describe, expect, it, type Mock, vi } from 'vitest'
import { CHUNK_BYTES } from '../protocol/bindings'
import { chunkFrame, decodeFrame, encodeFrame } from '../protocol/frames'
import type { EngineEvent } from './engine-messages'
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
  StageServer,
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

describe('a file that was received before', () => {
  const before = new Blob(['abc'])
  const found = (blob: Blob | null, wait = Promise.resolve()) => {
    bob.finds = () => wait.then(() => blob && { is: 'complete', file: blob })
  }

  it('is there at once, without its sender', async () => {
    found(before)
    bob.looks(3, ada)
    await settles()
    expect(bob.last('receiving')).toEqual({ status: 'done', file: before, twice: 0, via: null, isKept: true })
  })

  it('f7 is said to be there to its sender, which may have been away when it became whole', async () => {
    const sent = bytes(MIB)
    ada.offers(new Blob([sent]))
    bob.receives(MIB, ada)
    await settles()
    server.carriesSome(4)
    await settles(PROGRESS_INTERVAL_MS)
    expect(ada.last('sending')?.status).toBe('moving')
    // A later page of Bob's, whose earlier one got the rest elsewhere.
    bob.seesNobody()
    bob = stageDevice('b')
    server = new StageServer(ada, bob)
    found(new Blob([sent]))
    bob.looks(MIB, ada)
    await settles()
    bob.sees(ada)
    await server.carries()
    expect(ada.last('sending')?.status).toBe('done')
  })

  it('f7 is said to be there also to a sender that has it no more', async () => {
    found(before)
    bob.looks(3, ada)
    await server.carries()
    expect(ada.last('sending')).toMatchObject({ status: 'done', via: null })
    // It is answered, so it is said once.
    await settles(60_000)
    await server.carries()
    expect(ada.count('sending', 'done')).toBe(1)
  })

  it.each([
    ['another file is deleted', () => bob.forgets(FILES[1])],
    [
      'its sender comes and leaves again without an answer',
      () => {
        bob.sees(ada)
        bob.outgoing.length = 0
        bob.seesNobody()
      },
    ],
  ])('f7 is said to be there also where %s before its sender has heard of it', async (_, happens) => {
    found(before)
    bob.seesNobody()
    bob.looks(3, ada)
    await settles()
    happens()
    bob.sees(ada)
    await server.carries()
    expect(ada.last('sending')?.status).toBe('done')
  })

  it.each([
    ['offers it', encodeFrame({ type: 'offered', transfer: FILE })],
    ['still sends it', chunkFrame(FILE, 0, new Uint8Array(3))],
  ])('f7 is said to be there once more to a sender that %s', async (_, { buffer }) => {
    found(before)
    bob.looks(3, ada)
    await server.carries()
    bob.hears({ from: ada.id, to: bob.id, frame: buffer })
    expect(bob.outgoing.map(({ frame }) => decodeFrame(frame)?.type)).toEqual(['done'])
  })

  it('is not requested again when the person asks for it', async () => {
    found(before)
    ada.offers(new Blob([bytes(3)]))
    bob.receives(3, ada)
    await server.carries()
    expect(bob.last('receiving')).toMatchObject({ status: 'done', via: null })
    expect(server.carried).toBe(0)
  })

  it('is offered, or received when the person has asked, when the disk has it no more', async () => {
    found(null)
    ada.offers(new Blob([bytes(3)]))
    bob.looks(3, ada)
    await settles()
    expect(bob.last('receiving')).toEqual({ status: 'offered' })
    bob.receives(3, ada)
    await settles()
    await server.carries()
    expect(await bob.has()).toHaveLength(3)
  })

  it('is not received after the person has cancelled the search, or the item is gone', async () => {
    for (const stop of [() => bob.cancels(), () => bob.forgets()]) {
      found(null, new Promise((resolve) => setTimeout(resolve)))
      ada.offers(new Blob([bytes(3)]))
      bob.receives(3, ada)
      stop()
      await vi.advanceTimersByTimeAsync(1)
      await server.carries()
      expect(server.carried).toBe(0)
    }
    expect(bob.news.at(-1)).toMatchObject({ progress: { status: 'cancelled', by: 'me' } })
  })

  it('stays on the disk when the beam is left, and goes with its item', async () => {
    bob.leaves()
    expect(bob.forgotten).toEqual([])
    bob.forgets()
    expect(bob.forgotten).toEqual([FILE])
  })
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

/** Carries what comes until Bob has all of it. What was here before is compared, and hashes are asked for once a second. */
async function allComes(): Promise<void> {
  for (let second = 0; second < 10 && bob.last('receiving')?.status !== 'done'; second++) {
    await settles(1_000)
    await server.carries()
  }
}

describe('a file of which a part is here, and nothing of that outlives the page', () => {
  const SIZE = 6 * MIB
  const sent = bytes(SIZE)
  /** What was under way when it was interrupted, or was not compared yet. */
  const AGAIN = 3 * MIB

  /** A file of the person's, as the browser writes it. */
  function pickedFile() {
    const file = { bytes: new Uint8Array(SIZE), isClosed: false, aborted: 0 }
    const close = vi.fn(async () => {
      file.isClosed = true
    })
    const stream = {
      truncate: async () => {},
      write: async ({ position, data }: { position: number; data: Uint8Array }) => {
        file.bytes.set(data, position)
      },
      close,
      abort: async () => {
        file.aborted += 1
      },
    }
    const createWritable = vi.fn(async () => stream)
    const remove = vi.fn(async () => {})
    // The browser writes into place only when it closes.
    const picked = { createWritable, getFile: async () => new Blob(), remove }
    return { file, close, createWritable, remove, handle: picked as unknown as FileSystemFileHandle }
  }

  const asks = (picked: FileSystemFileHandle | null) =>
    bob.engine.handle({ do: 'receive', file: incomingFile(SIZE, ada), picked })

  /** Two thirds of Ada's file come, and are compared. */
  async function aPartComes(picked: FileSystemFileHandle | null = null): Promise<void> {
    ada.offers(new Blob([sent]))
    asks(picked)
    await settles()
    while (server.carried < 4 * MIB) {
      server.carriesSome(8)
      await settles(20)
    }
    await settles(PROGRESS_INTERVAL_MS)
    expect(bob.last('receiving')?.status).toBe('moving')
  }

  /** Ada's page begins anew, without the file. */
  async function adaReloads(): Promise<void> {
    ada.seesNobody()
    bob.seesNobody()
    ada = stageDevice('a')
    server = new StageServer(ada, bob)
    bob.sees(ada)
    ada.sees(bob)
    await server.carries()
  }

  it.each([
    ['in memory', () => null],
    ['at a place that the person picked', () => pickedFile()],
  ])('f17 waits %s for its sender, and only the rest is requested', async (_, picks) => {
    const picked = picks()
    await aPartComes(picked?.handle ?? null)
    await adaReloads()
    expect(bob.last('receiving')).toMatchObject({ status: 'failed', why: { reason: 'gone' } })
    ada.offers(new Blob([sent]))
    await allComes()
    expect(bob.last('receiving')?.status).toBe('done')
    if (picked) expect(Buffer.compare(picked.file.bytes, sent)).toBe(0)
    else expect(await bob.hasWhole(sent)).toBe(true)
    expect(server.carried).toBeGreaterThan(0)
    expect(server.carried).toBeLessThan(AGAIN)
    if (picked) expect(picked.createWritable).toHaveBeenCalledOnce()
  })

  it.each([
    ['in memory', () => null],
    ['at a place that the person picked', () => pickedFile()],
  ])('f19 is received again %s where its sender has another file by then', async (_, picks) => {
    const picked = picks()
    await aPartComes(picked?.handle ?? null)
    await adaReloads()
    const other = sent.map((byte) => byte ^ 1)
    ada.offers(new Blob([other]))
    await allComes()
    expect(bob.last('receiving')?.status).toBe('done')
    if (picked) expect(Buffer.compare(picked.file.bytes, other)).toBe(0)
    else expect(await bob.hasWhole(other)).toBe(true)
  })

  it('is gone on with where it was when the person asks for it, whatever place that is', async () => {
    const picked = pickedFile()
    await aPartComes(picked.handle)
    await adaReloads()
    server.loses = ({ type }) => type === 'offered'
    ada.offers(new Blob([sent]))
    bob.receives(SIZE, ada)
    await allComes()
    expect(picked.file.isClosed).toBe(true)
    expect(server.carried).toBeLessThan(AGAIN)
  })

  it('is begun anew where the disk was full as the browser moved it into place', async () => {
    const picked = pickedFile()
    picked.close.mockRejectedValueOnce(new DOMException('', 'QuotaExceededError'))
    await aPartComes(picked.handle)
    await server.carries()
    expect(bob.last('receiving')).toMatchObject({ status: 'failed', why: { reason: 'diskFull' } })
    expect(picked.file.aborted).toBe(1)
    asks(picked.handle)
    await allComes()
    expect(bob.last('receiving')?.status).toBe('done')
    expect(server.carried).toBeGreaterThanOrEqual(2 * SIZE)
  })

  it('is begun anew elsewhere where the disk was full as a later transfer was moved into that place', async () => {
    const picked = pickedFile()
    picked.close.mockRejectedValueOnce(new DOMException('', 'QuotaExceededError'))
    await aPartComes(picked.handle)
    await adaReloads()
    server.loses = ({ type }) => type === 'offered'
    ada.offers(new Blob([sent]))
    asks(null)
    await allComes()
    expect(bob.last('receiving')).toMatchObject({ status: 'failed', why: { reason: 'diskFull' } })
    expect(picked.file.aborted).toBe(1)
    expect(picked.remove).toHaveBeenCalledOnce()
    asks(null)
    await allComes()
    expect(await bob.hasWhole(sent)).toBe(true)
    expect(picked.close).toHaveBeenCalledOnce()
  })

  it('is not held for later where its beam was left before the browser failed to move it into place', async () => {
    const picked = pickedFile()
    let fails: (error: unknown) => void = () => {}
    picked.close.mockReturnValueOnce(new Promise((_, reject) => (fails = reject)))
    await aPartComes(picked.handle)
    bob.pauses()
    bob.resumes()
    await server.carries()
    expect(picked.close).toHaveBeenCalledOnce()
    bob.leaves()
    fails(new DOMException('', 'QuotaExceededError'))
    await settles()
    expect(picked.file.aborted).toBe(1)
  })

  it('f18 stays paused by the person here', async () => {
    await aPartComes()
    bob.pauses()
    await adaReloads()
    bob.engine.handle({ do: 'removed', devices: [ada.id] })
    expect(bob.last('receiving')?.status).toBe('failed')
    bob.sees(ada)
    ada.offers(new Blob([sent]))
    await server.carries()
    expect(bob.last('receiving')).toMatchObject({ status: 'paused', by: 'me' })
    expect(server.carried).toBe(0)
    bob.resumes()
    await allComes()
    expect(await bob.hasWhole(sent)).toBe(true)
  })

  it.each([
    ['the person gives it up', () => bob.cancels()],
    ['its item goes', () => bob.forgets()],
    ['its beam is left', () => bob.leaves()],
  ])('is removed when %s', async (_, end) => {
    const picked = pickedFile()
    await aPartComes(picked.handle)
    await adaReloads()
    expect(picked.file.aborted).toBe(0)
    expect(picked.remove).not.toHaveBeenCalled()
    end()
    await settles()
    expect(picked.file.aborted).toBe(1)
    expect(picked.remove).toHaveBeenCalledOnce()
    ada.offers(new Blob([sent]))
    bob.receives(SIZE, ada)
    await server.carries()
    expect(server.carried).toBeGreaterThanOrEqual(SIZE)
    expect(await bob.hasWhole(sent)).toBe(true)
  })

  it('is in memory no more once its beam was left while it came', async () => {
    await aPartComes()
    bob.leaves()
    await server.carries()
    const before = server.carried
    bob.receives(SIZE, ada)
    await server.carries()
    expect(await bob.hasWhole(sent)).toBe(true)
    expect(server.carried - before).toBe(SIZE)
  })
})

describe('a file whose sender is removed from the beam', () => {
  const SIZE = 6 * MIB
  const sent = bytes(SIZE)

  it('s25_waits_with_what_is_here_until_that_device_is_let_in_again', async () => {
    ada.offers(new Blob([sent]))
    bob.receives(SIZE, ada)
    await settles()
    while (server.carried < 4 * MIB) {
      server.carriesSome(8)
      await settles(20)
    }
    bob.hasRemoved(ada)
    expect(bob.last('receiving')).toMatchObject({ status: 'failed', why: { reason: 'sourceRemoved' } })
    await server.carries()
    const before = server.carried
    bob.sees(ada)
    await allComes()
    expect(await bob.hasWhole(sent)).toBe(true)
    expect(server.carried - before).toBeLessThan(3 * MIB)
  })
})

describe('a file at a place that the person has picked', () => {
  const SIZE = 4 * MIB
  let isRemoved: boolean
  let discarded: boolean[]

  beforeEach(() => {
    isRemoved = false
    discarded = []
    ada.offers(new Blob([bytes(SIZE)]))
  })

  const receives = () => {
    const picked = {
      getFile: async () => ({ size: 0 }),
      remove: async () => {
        isRemoved = true
      },
    } as unknown as FileSystemFileHandle
    bob.sink = () => ({
      isKept: true,
      part: null,
      read: null,
      write: () => {},
      finish: async () => null,
      discard: async (isOver = false) => void discarded.push(isOver),
    })
    bob.engine.handle({ do: 'receive', file: incomingFile(SIZE, ada), picked })
  }

  it('leaves no empty one behind when the person cancels it, before its turn or after', async () => {
    bob.seesNobody()
    receives()
    bob.cancels()
    await settles()
    expect(isRemoved).toBe(true)

    bob.sees(ada)
    receives()
    await settles()
    server.carriesSome(4)
    await settles()
    bob.cancels()
    await server.carries()
    expect(discarded).toEqual([true])
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

describe('the start of a file that was asked for', () => {
  const SIZE = 4 * MIB
  const HEAD = 100_000
  const heads = () => bob.news.flatMap((event) => (event.say === 'head' ? [event] : []))

  it('f16_is_reported_by_itself_once_and_before_the_rest_is_there', async () => {
    const sent = bytes(SIZE)
    ada.offers(new Blob([sent]))
    const file = { ...incomingFile(SIZE, ada), head: HEAD }
    bob.engine.handle({ do: 'receive', file, picked: null })
    await settles()
    await server.carries()
    expect(await bob.has()).toHaveLength(SIZE)
    expect(heads()).toEqual([{ say: 'head', id: FILE, bytes: sent.subarray(0, HEAD) }])
    const isDone = (event: EngineEvent) => event.say === 'receiving' && event.progress.status === 'done'
    expect(bob.news.findIndex(({ say }) => say === 'head')).toBeLessThan(bob.news.findIndex(isDone))
  })

  it('is not reported for any other file', async () => {
    ada.offers(new Blob([bytes(3)]))
    bob.receives(3, ada)
    await settles()
    await server.carries()
    expect(await bob.has()).toHaveLength(3)
    expect(heads()).toEqual([])
  })
})
