import { afterEach, describe, expect, it, vi } from 'vitest'
import type { BeamId } from '../protocol/bindings'
import { reduceAccount } from '../stores/account'
import { createStores } from '../stores/stores'
import { createBeamNotes } from './beam-notes'
import { createToaster } from './toaster'

afterEach(() => vi.unstubAllGlobals())

it.each([
  [500, ['Failed to load beam notes']],
  [401, []],
])('notes that cannot be loaded (%i) are told: %j', async (status, said) => {
  const body = JSON.stringify({ detail: 'Log in first.', code: 'unauthorized' })
  const asked = vi.fn(async () => new Response(body, { status }))
  vi.stubGlobal('fetch', asked)
  const stores = createStores()
  stores.account.setState((state) => reduceAccount(state, { type: 'loggedOut' }), true)
  const put = vi.fn()
  void createBeamNotes(() => 'beam' as BeamId, stores, createToaster(stores.toasts), put).load()
  await vi.waitFor(() => expect(asked).toHaveBeenCalled())
  await new Promise((resolve) => setTimeout(resolve))
  expect(stores.toasts.getState().toasts.map(({ text }) => text)).toEqual(said)
  expect(put).not.toHaveBeenCalled()
})

describe('a list that changes while it is read', () => {
  /** Requests that the server has not answered yet, the oldest first. */
  let owed: ((response: Response) => void)[]
  const taken = vi.fn()
  const answers = () => owed.shift()?.(new Response('[]'))
  const notes = () => {
    owed = []
    taken.mockClear()
    vi.stubGlobal('fetch', () => new Promise<Response>((resolve) => owed.push(resolve)))
    const stores = createStores()
    stores.account.setState((state) => reduceAccount(state, { type: 'loggedOut' }), true)
    return createBeamNotes(() => 'beam' as BeamId, stores, createToaster(stores.toasts), taken)
  }
  const asked = (count: number) => vi.waitFor(() => expect(owed).toHaveLength(count))

  it('is read once more, however often it changed, and the older answer is ignored', async () => {
    const list = notes()
    const first = list.load()
    await asked(1)
    for (let change = 0; change < 100; change++) void list.load()
    answers()
    await asked(1)
    expect(taken).not.toHaveBeenCalled()
    answers()
    await first
    expect(taken).toHaveBeenCalledOnce()
    expect(owed).toEqual([])
  })

  it('is ignored once the beam was left, and is read again after the next connect', async () => {
    const list = notes()
    const first = list.load()
    await asked(1)
    list.end()
    answers()
    await first
    expect(taken).not.toHaveBeenCalled()
    const second = list.load()
    await asked(1)
    answers()
    await second
    expect(taken).toHaveBeenCalledOnce()
  })
})
