/** F22: a transfer goes on with the copy that the server has while no device can give the file. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ItemId } from '../protocol/bindings'
import {
  adaAndBob,
  bytes,
  FILE,
  incomingFile,
  MIB,
  type StageDevice,
  StageServer,
  settles,
  stageDevice,
} from './engine-stage'
import { CopyGone, type ReadPart } from './stored-link'

const SIZE = 20 * MIB + 7
const content = bytes(SIZE)
const URL = '/api/uploads/copy'

let ada: StageDevice
let bob: StageDevice
let server: StageServer
/** Bytes of the copy that were read. */
let read = 0

beforeEach(() => {
  ;({ ada, bob, server } = adaAndBob())
  read = 0
  bob.reads = copyOf(content)
})
afterEach(() => vi.useRealTimers())

/** A stored copy that gives 256 KiB each 100 ms. */
function copyOf(file: Uint8Array, endsAt = Number.POSITIVE_INFINITY): ReadPart {
  return async (url, start, length, signal) => {
    expect(url).toBe(URL)
    let at = start
    return new ReadableStream(
      {
        async pull(controller) {
          await new Promise((resolve) => setTimeout(resolve, 100))
          const end = Math.min(start + length, at + 256 * 1024, endsAt)
          if (signal.aborted || end <= at) return controller.close()
          read += end - at
          controller.enqueue(file.slice(at, end))
          at = end
          if (at === start + length) controller.close()
        },
      },
      { highWaterMark: 0 },
    )
  }
}

const isDone = () => bob.last('receiving')?.status === 'done'
const storedAt = (url = URL) => bob.engine.handle({ do: 'stored', id: FILE, url })

/** Lets Ada send a frame of 64 KiB each 20 ms. */
async function passes(ms: number, until: () => boolean = isDone): Promise<void> {
  for (let passed = 0; passed < ms && !until(); passed += 20) {
    server.carriesSome(1)
    await settles(20)
  }
}

/** Bob has about a quarter of the file from Ada. */
async function aQuarterCame(): Promise<void> {
  ada.offers(new Blob([content]))
  bob.receives(SIZE, ada)
  await passes(60_000, () => server.carried > SIZE / 4)
}

function adaLeaves(): void {
  bob.seesNobody()
  ada.seesNobody()
}

function adaComesBack(): void {
  ada.sees(bob)
  bob.sees(ada)
}

describe('f22 a file of which the server has a copy', () => {
  it('goes on from the copy when its device leaves, and little goes twice', async () => {
    await aQuarterCame()
    storedAt()
    adaLeaves()
    await passes(60_000)
    expect(await bob.hasWhole(content)).toBe(true)
    expect(bob.last('receiving')).toMatchObject({ via: { links: [], server: false, stored: true } })
    expect((server.carried + read) / SIZE).toBeLessThan(1.3)
  })

  it('f18 goes on from the copy when the person who has paused it leaves', async () => {
    await aQuarterCame()
    storedAt()
    ada.pauses()
    await passes(500)
    expect(bob.last('receiving')).toMatchObject({ status: 'paused', by: 'them' })
    adaLeaves()
    await passes(60_000)
    expect(await bob.hasWhole(content)).toBe(true)
  })

  it('has its turn although three others wait for their device', async () => {
    const small = bytes(MIB)
    const ids = Array.from({ length: 4 }, () => crypto.randomUUID() as ItemId)
    for (const id of ids) {
      ada.offers(new Blob([small]), id)
      bob.receives(MIB, ada, id)
    }
    await settles(100)
    adaLeaves()
    bob.reads = copyOf(small)
    const last = ids[3] as ItemId
    bob.engine.handle({ do: 'stored', id: last, url: URL })
    await passes(30_000, () => bob.last('receiving', last)?.status === 'done')
    expect(bob.last('receiving', last)?.status).toBe('done')
    expect(bob.last('receiving', ids[0])?.status).toBe('parked')
  })

  it('waits for its turn among others that come from copies', async () => {
    const small = bytes(MIB)
    const ids = Array.from({ length: 12 }, () => crypto.randomUUID() as ItemId)
    let most = 0
    let open = 0
    const read = copyOf(small)
    bob.reads = async (url, start, length, signal) => {
      open += 1
      most = Math.max(most, open)
      signal.addEventListener('abort', () => {
        open -= 1
      })
      return read(url, start, length, signal)
    }
    for (const id of ids) {
      bob.receives(MIB, ada, id)
      bob.engine.handle({ do: 'stored', id, url: URL })
    }
    const areDone = () => ids.every((id) => bob.last('receiving', id)?.status === 'done')
    await passes(60_000, areDone)
    expect(areDone()).toBe(true)
    expect(most).toBe(3)
  })

  it('and is small waits for nobody: twenty come one after the other without a pause', async () => {
    bob.seesNobody()
    const small = bytes(1_000)
    let requests = 0
    bob.reads = async (_, start, length) => {
      requests += 1
      return new Blob([small.slice(start, start + length)]).stream()
    }
    const ids = Array.from({ length: 20 }, () => crypto.randomUUID() as ItemId)
    for (const id of ids) {
      const file = { ...incomingFile(small.byteLength, ada, id), url: URL }
      bob.engine.handle({ do: 'receive', file, picked: null })
    }
    const began = performance.now()
    const areDone = () => ids.every((id) => bob.last('receiving', id)?.status === 'done')
    await passes(60_000, areDone)
    expect(areDone()).toBe(true)
    expect(performance.now() - began).toBeLessThan(2_000)
    expect(requests).toBe(ids.length)
  })

  it('is not read from the copy while its device gives it', async () => {
    ada.offers(new Blob([content]))
    bob.receives(SIZE, ada)
    storedAt()
    await passes(60_000)
    expect(await bob.hasWhole(content)).toBe(true)
    expect(read).toBe(0)
  })

  it('goes back to its device when that comes again', async () => {
    await aQuarterCame()
    storedAt()
    adaLeaves()
    await passes(4_000)
    expect(read).toBeGreaterThan(0)
    expect(isDone()).toBe(false)
    const before = read
    adaComesBack()
    await passes(60_000)
    expect(await bob.hasWhole(content)).toBe(true)
    expect(read - before).toBeLessThan(MIB)
  })

  it('goes on from the copy when its device has it no more, and back once it has it again', async () => {
    await aQuarterCame()
    storedAt()
    adaLeaves()
    // Her page was reloaded, and has the file no more.
    ada = stageDevice('a')
    server = new StageServer(ada, bob)
    adaComesBack()
    await passes(6_000)
    expect(read).toBeGreaterThan(0)
    expect(bob.last('receiving')?.status).toBe('moving')
    const before = read
    ada.offers(new Blob([content]))
    await passes(60_000)
    expect(await bob.hasWhole(content)).toBe(true)
    expect(read - before).toBeLessThan(MIB)
  })

  it('f19_is_received_again_when_its_device_comes_back_with_another_file_of_that_name_and_size', async () => {
    await aQuarterCame()
    storedAt()
    adaLeaves()
    ada = stageDevice('a')
    server = new StageServer(ada, bob)
    adaComesBack()
    await passes(6_000)
    const other = content.map((byte) => byte ^ 1)
    ada.offers(new Blob([other]))
    await passes(60_000)
    expect(await bob.hasWhole(other)).toBe(true)
  })

  it('comes from the copy alone when its device was never here', async () => {
    bob.seesNobody()
    bob.engine.handle({ do: 'receive', file: { ...incomingFile(SIZE, ada), url: URL }, picked: null })
    await passes(60_000)
    expect(await bob.hasWhole(content)).toBe(true)
    expect(read).toBe(SIZE)
  })

  it('goes on after the server broke off, or did not answer', async () => {
    bob.seesNobody()
    bob.reads = copyOf(content, 3 * MIB)
    bob.engine.handle({ do: 'receive', file: { ...incomingFile(SIZE, ada), url: URL }, picked: null })
    await passes(8_000)
    bob.reads = () => Promise.reject(new Error('down'))
    await passes(8_000)
    expect(isDone()).toBe(false)
    bob.reads = copyOf(content)
    await passes(60_000)
    expect(await bob.hasWhole(content)).toBe(true)
    expect(read).toBe(SIZE)
  })

  it('goes on after the connection to the server was cut without a word', async () => {
    bob.seesNobody()
    const copy = copyOf(content)
    bob.reads = async () => new ReadableStream()
    bob.engine.handle({ do: 'receive', file: { ...incomingFile(SIZE, ada), url: URL }, picked: null })
    await passes(6_000)
    // Its way is told also before the first of it is here.
    const via = { links: [], server: false, stored: true }
    expect(bob.last('receiving')).toMatchObject({ status: 'moving', via })
    bob.reads = copy
    await passes(60_000)
    expect(await bob.hasWhole(content)).toBe(true)
  })

  it('is read no faster than the disk takes it, and a slow disk is no silence', async () => {
    bob.seesNobody()
    let written = 0
    let most = 0
    bob.sink = async (file) => ({
      ...(await bob.memory.open(file)),
      read: null,
      write: async (_, { byteLength }) => {
        most = Math.max(most, read - written)
        await new Promise((resolve) => setTimeout(resolve, 10_000))
        written += byteLength
      },
    })
    bob.engine.handle({ do: 'receive', file: { ...incomingFile(SIZE, ada), url: URL }, picked: null })
    await passes(120_000, () => written === SIZE)
    expect(written).toBe(SIZE)
    expect(read).toBe(SIZE)
    expect(most).toBeLessThan(6 * MIB)
  })

  it('is complete also where another device gave pieces whose hashes nobody is here to tell', async () => {
    const cyd = stageDevice('c')
    server = new StageServer(ada, bob, cyd)
    const meet = (...devices: StageDevice[]) => {
      for (const device of devices) device.seesAll(...devices.filter((other) => other !== device))
    }
    meet(ada, bob, cyd)
    ada.offers(new Blob([content]))
    cyd.receives(SIZE, ada)
    await passes(60_000, () => cyd.last('receiving')?.status === 'done')
    ada.seesNobody()
    meet(bob, cyd)
    bob.receives(SIZE, ada)
    storedAt()
    await passes(60_000)
    expect(await bob.hasWhole(content)).toBe(true)
    expect(bob.count('receiving', 'failed')).toBe(0)
  })

  it('is not read while the person pauses it', async () => {
    await aQuarterCame()
    storedAt()
    adaLeaves()
    await passes(4_000)
    bob.pauses()
    await passes(500)
    const before = read
    await passes(4_000)
    expect(read).toBe(before)
    bob.resumes()
    await passes(60_000)
    expect(await bob.hasWhole(content)).toBe(true)
  })

  it('f17_is_over_when_its_copy_is_gone_and_nobody_else_is_here_and_goes_on_when_its_device_comes', async () => {
    ada.offers(new Blob([content]))
    adaLeaves()
    bob.reads = () => Promise.reject(new CopyGone())
    bob.receives(SIZE, ada)
    storedAt()
    await passes(1_000)
    expect(bob.last('receiving')).toMatchObject({ status: 'failed', why: { reason: 'gone' } })
    adaComesBack()
    await passes(1_000)
    expect(bob.last('receiving')?.status).toBe('moving')
    // Nobody has told it of the copy again.
    adaLeaves()
    await passes(3_000)
    expect(bob.last('receiving')).toMatchObject({ status: 'failed', why: { reason: 'gone' } })
    adaComesBack()
    await passes(60_000)
    expect(await bob.hasWhole(content)).toBe(true)
  })

  it('f17_is_over_when_its_copy_was_gone_before_its_device_left', async () => {
    await aQuarterCame()
    bob.reads = async () => {
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      throw new CopyGone()
    }
    storedAt()
    adaLeaves()
    await passes(2_500)
    adaComesBack()
    await passes(2_000)
    expect(bob.last('receiving')?.status).toBe('moving')
    adaLeaves()
    await passes(1_000)
    expect(bob.last('receiving')).toMatchObject({ status: 'failed', why: { reason: 'gone' } })
  })

  it('f19_is_not_taken_from_a_copy_that_is_another_than_its_device_says', async () => {
    bob.reads = copyOf(content.map((byte) => ~byte))
    await aQuarterCame()
    // Ada has told the hashes of what she read.
    storedAt()
    adaLeaves()
    await passes(20_000)
    expect(isDone()).toBe(false)
    adaComesBack()
    await passes(60_000)
    expect(await bob.hasWhole(content)).toBe(true)
  })
})
