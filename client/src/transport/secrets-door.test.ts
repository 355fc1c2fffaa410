import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { BeamId } from '../protocol/bindings'
import { NotEntered } from './not-entered'
import { type Answer, openSecrets, type Question, type SecretsDoor } from './secrets-door'

const BEAM = '0b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
/** So long a question waits for its answer, in milliseconds. */
const MINUTE_MS = 60_000

/** A worker that answers when the test says so. */
class SlowWorker {
  readonly asked: Question[] = []
  readonly terminate = vi.fn()
  onmessage: (event: { data: Answer }) => void = () => {}
  onerror: () => void = () => {}

  constructor() {
    workers.push(this)
  }

  postMessage(question: Question): void {
    this.asked.push(question)
  }

  answers(at: number, value: unknown): void {
    this.onmessage({ data: { number: this.asked[at]?.number ?? 0, value } })
  }
}

let workers: SlowWorker[]
let secrets: SecretsDoor

/** Returns what has become of a question so far. */
function ask(): { is: unknown } {
  const asked: { is: unknown } = { is: 'asked' }
  secrets.ask(BEAM).then(
    (answer) => {
      asked.is = answer
    },
    (error: unknown) => {
      asked.is = error
    },
  )
  return asked
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('Worker', SlowWorker)
  workers = []
  secrets = openSecrets()
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

it('asks another worker once one has failed, which is ended', async () => {
  const first = ask()
  workers[0]?.onerror()
  await vi.advanceTimersByTimeAsync(0)
  expect(first.is).toBeInstanceOf(NotEntered)
  expect(workers[0]?.terminate).toHaveBeenCalled()
  const second = ask()
  workers[1]?.answers(0, null)
  await vi.advanceTimersByTimeAsync(0)
  expect(second.is).toBeNull()
})

it('replaces a worker that has answered nothing for a minute', async () => {
  const first = ask()
  await vi.advanceTimersByTimeAsync(MINUTE_MS)
  expect(first.is).toBeInstanceOf(NotEntered)
  expect(workers[0]?.terminate).toHaveBeenCalled()
  ask()
  expect(workers).toHaveLength(2)
})

it('gives up a question alone where the worker answers others', async () => {
  const first = ask()
  await vi.advanceTimersByTimeAsync(MINUTE_MS / 2)
  const second = ask()
  workers[0]?.answers(1, null)
  await vi.advanceTimersByTimeAsync(MINUTE_MS / 2)
  expect(second.is).toBeNull()
  expect(first.is).toBeInstanceOf(Error)
  expect(workers[0]?.terminate).not.toHaveBeenCalled()
})

it('says so where the worker does not know the beam', async () => {
  const first = ask()
  workers[0]?.onmessage({ data: { number: 1, failure: 'Error', isEntered: false } })
  await vi.advanceTimersByTimeAsync(0)
  expect(first.is).toBeInstanceOf(NotEntered)
})
