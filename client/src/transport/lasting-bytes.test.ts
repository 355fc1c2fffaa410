import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { InterruptedError, lastingBytes } from './lasting-bytes'

const ALL = 'abcdefghijklmnopqrstuvwxyz'

/** The offsets at which the copy was asked for. */
let asked: number[]
/** What the server answers to each request, until the last one repeats. */
let answers: ((start: number) => Response | Promise<Response>)[]

const whole = (start: number) => new Response(ALL.slice(start), { status: 206 })
/** The connection is cut after so many bytes. */
const cutAfter = (count: number) => (start: number) => {
  let isGiven = false
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (isGiven) return controller.error(new TypeError('network error'))
      isGiven = true
      controller.enqueue(new TextEncoder().encode(ALL.slice(start, start + count)))
    },
  })
  return new Response(body, { status: 206 })
}
/** The answer comes when nobody waits for it any more. */
const late = (milliseconds: number) => (start: number) =>
  new Promise<Response>((resolve) => setTimeout(() => resolve(whole(start)), milliseconds))
const away = () => {
  throw new TypeError('Failed to fetch')
}

beforeEach(() => {
  vi.useFakeTimers()
  asked = []
  answers = [whole]
  vi.stubGlobal('fetch', async (_: string, { headers }: { headers: { range: string } }) => {
    const start = Number(/\d+/.exec(headers.range)?.[0])
    asked.push(start)
    const [answer = whole] = answers.length > 1 ? answers.splice(0, 1) : answers
    return answer(start)
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

async function reads(more: { signal?: AbortSignal; onCut?: (isCut: boolean) => void } = {}) {
  const text = new Response(lastingBytes('/files/a', { start: 2, end: 20, ...more })).text()
  // It is looked at below.
  text.catch(() => {})
  await vi.runAllTimersAsync()
  return text
}

it('are read from where they were cut, and no byte twice', async () => {
  const cuts: boolean[] = []
  answers = [cutAfter(5), cutAfter(3), away, away, whole]
  expect(await reads({ onCut: (isCut) => cuts.push(isCut) })).toBe(ALL.slice(2, 20))
  expect(asked).toEqual([2, 7, 10, 10, 10])
  expect(cuts).toEqual([true, false, true, true, true, false])
})

it.each([
  ['in the pause before the next request', 30_200],
  ['while the next one is read', 60_000],
])('lose nothing to an answer that comes %s', async (_, milliseconds) => {
  answers = [late(milliseconds), late(29_000), whole]
  expect(await reads()).toBe(ALL.slice(2, 20))
})

it('are asked for no more once nobody reads them', async () => {
  const cuts: boolean[] = []
  answers = [away, whole]
  const stream = lastingBytes('/files/a', { start: 2, end: 20, onCut: (isCut) => cuts.push(isCut) })
  const reader = stream.getReader()
  reader.read().catch(() => {})
  await vi.advanceTimersByTimeAsync(100)
  await reader.cancel()
  await vi.runAllTimersAsync()
  expect(asked).toEqual([2])
  expect(cuts).toEqual([true])
})

it('are asked for again while the server is away for a moment, but not for ever', async () => {
  answers = [() => new Response('', { status: 503 }), whole]
  expect(await reads()).toBe(ALL.slice(2, 20))
  asked = []
  answers = [cutAfter(4), away]
  await expect(reads()).rejects.toThrow(InterruptedError)
  expect(asked).toEqual([2, 6, 6, 6, 6, 6])
})

it('are asked for again when the connection has ended without a word', async () => {
  const silent = () =>
    new Response(new ReadableStream({ pull: () => new Promise(() => {}) }), { status: 206 })
  answers = [cutAfter(4), silent, whole]
  expect(await reads()).toBe(ALL.slice(2, 20))
  expect(asked).toEqual([2, 6, 6])
})

it('are not asked for again where the copy is gone', async () => {
  answers = [() => new Response('', { status: 404 })]
  await expect(reads()).rejects.toMatchObject({ status: 404 })
  expect(asked).toEqual([2])
})

it('end at once when the person cancels, also in a pause', async () => {
  const stop = new AbortController()
  answers = [away]
  const text = new Response(lastingBytes('/files/a', { start: 2, end: 20, signal: stop.signal })).text()
  text.catch(() => {})
  await vi.advanceTimersByTimeAsync(1_000)
  stop.abort()
  await expect(text).rejects.toMatchObject({ name: 'AbortError' })
  expect(asked).toEqual([2, 2])
})
