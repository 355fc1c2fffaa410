import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { BeamId } from '../protocol/bindings'
import { NotEntered } from './not-entered'
import {
  type Answer,
  openSecrets,
  PING,
  type Question,
  type SecretsDoor,
  type VaultDoor,
} from './secrets-door'

const BEAM = '0b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
/** So long a question waits for its answer, in milliseconds. */
const MINUTE_MS = 60_000

/** A worker that answers when the test says so. */
class SlowWorker {
  readonly asked: Question[] = []
  /** Whether it says that it runs, though the server keeps it waiting. */
  runs = false
  readonly terminate = vi.fn()
  onmessage: (event: { data: Answer | typeof PING }) => void = () => {}
  onerror: () => void = () => {}

  constructor() {
    workers.push(this)
  }

  postMessage(question: Question | typeof PING): void {
    if (question !== PING) this.asked.push(question)
    else if (this.runs) this.onmessage({ data: PING })
  }

  answers(at: number, value: unknown): void {
    this.onmessage({ data: { number: this.asked[at]?.number ?? 0, value } })
  }
}

let workers: SlowWorker[]
let secrets: SecretsDoor & VaultDoor

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

it('keeps a worker that runs, however long the server lets it wait', async () => {
  const first = ask()
  for (const worker of workers) worker.runs = true
  await vi.advanceTimersByTimeAsync(MINUTE_MS)
  expect(first.is).toBeInstanceOf(Error)
  expect(workers[0]?.terminate).not.toHaveBeenCalled()
  ask()
  expect(workers).toHaveLength(1)
})

describe('e17 a worker that takes the place of another', () => {
  const asked = (at: number) => workers[at]?.asked.map(({ method, args }) => [method, ...args])

  it('is told before anything else who is logged in, and which beams are theirs', async () => {
    void secrets.enterVault('ada', false)
    void secrets.ownBeams([BEAM])
    workers[0]?.answers(0, { is: 'none' })
    workers[0]?.answers(1, undefined)
    workers[0]?.onerror()
    ask()
    expect(asked(1)).toEqual([
      ['enterVault', 'ada', false],
      ['ownBeams', [BEAM]],
      ['ask', BEAM],
    ])
  })

  it.each(['open', 'locked'])('knows of a vault that was %s', async (is) => {
    void secrets.enterVault('ada', false)
    workers[0]?.answers(0, { is })
    await vi.advanceTimersByTimeAsync(0)
    workers[0]?.onerror()
    ask()
    expect(asked(1)?.[0]).toEqual(['enterVault', 'ada', true])
  })

  it('knows of no vault that the account has no more', async () => {
    void secrets.enterVault('ada', true)
    workers[0]?.answers(0, { is: 'none' })
    await vi.advanceTimersByTimeAsync(0)
    workers[0]?.onerror()
    ask()
    expect(asked(1)?.[0]).toEqual(['enterVault', 'ada', false])
  })

  it('knows of the vault that the first one has made', async () => {
    void secrets.enterVault('ada', false)
    void secrets.createVault('old', 'new')
    workers[0]?.answers(0, { is: 'none' })
    workers[0]?.answers(1, 'done')
    await vi.advanceTimersByTimeAsync(0)
    workers[0]?.onerror()
    ask()
    expect(asked(1)?.[0]).toEqual(['enterVault', 'ada', true])
  })

  it('is told nothing of the beams of a person whose place another one has taken', async () => {
    void secrets.enterVault('ada', true)
    void secrets.ownBeams([BEAM])
    void secrets.enterVault('bob', false)
    for (const [at, answer] of [{ is: 'open' }, undefined, { is: 'none' }].entries())
      workers[0]?.answers(at, answer)
    workers[0]?.onerror()
    ask()
    expect(asked(1)).toEqual([
      ['enterVault', 'bob', false],
      ['ask', BEAM],
    ])
  })

  it('is told nothing of a login that has ended', async () => {
    void secrets.enterVault('ada', true)
    void secrets.leaveVault()
    workers[0]?.answers(0, { is: 'open' })
    workers[0]?.answers(1, undefined)
    workers[0]?.onerror()
    ask()
    expect(asked(1)).toEqual([['ask', BEAM]])
  })
})

it('says so where the worker does not know the beam', async () => {
  const first = ask()
  workers[0]?.onmessage({ data: { number: 1, failure: 'Error', isEntered: false } })
  await vi.advanceTimersByTimeAsync(0)
  expect(first.is).toBeInstanceOf(NotEntered)
})
