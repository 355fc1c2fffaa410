import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { EngineEvent } from './engine-messages'
import { adaAndBob, bytes, FILE, MIB, type StageDevice, type StageServer, settles } from './engine-stage'

let ada: StageDevice
let bob: StageDevice
let server: StageServer

beforeEach(() => {
  ;({ ada, bob, server } = adaAndBob())
})
afterEach(() => vi.useRealTimers())

describe('a file that was received before', () => {
  const before = new Blob(['abc'])
  const found = (blob: Blob | null, wait = Promise.resolve()) => {
    bob.finds = () => wait.then(() => blob)
  }

  it('is there at once, without its sender', async () => {
    found(before)
    bob.looks(3, ada)
    await settles()
    expect(bob.last('receiving')).toEqual({ status: 'done', file: before, twice: 0, via: null, isKept: true })
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

describe('the start of a file that was asked for', () => {
  const SIZE = 4 * MIB
  const HEAD = 100_000
  const heads = () => bob.news.flatMap((event) => (event.say === 'head' ? [event] : []))

  it('f16_is_reported_by_itself_once_and_before_the_rest_is_there', async () => {
    const sent = bytes(SIZE)
    ada.offers(new Blob([sent]))
    const file = { id: FILE, from: ada.id, size: SIZE, type: '', head: HEAD }
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
