import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
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
  type StageDevice,
  StageServer,
  settles,
  stageDevice,
} from './engine-stage'
import { PROGRESS_INTERVAL_MS } from './progress'

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
