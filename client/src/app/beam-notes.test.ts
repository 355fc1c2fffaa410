import { afterEach, describe, expect, it, vi } from 'vitest'
import type { BeamId, DeviceId, ItemId, Note, SavedBeam } from '../protocol/bindings'
import { reduceAccount } from '../stores/account'
import { createStores } from '../stores/stores'
import { createBeamNotes } from './beam-notes'
import { createToaster } from './toaster'

const [MINE, OTHER] = ['1', '2'].map((at) => `0${at}234567-89ab-4cde-8f01-23456789abcd`) as [ItemId, ItemId]
const NOTE: Note = {
  id: OTHER,
  content: 'Milk',
  title: null,
  json_content: null,
  note_type: 'text',
  seq: 4,
  from: '11234567-89ab-8cde-8f01-23456789abcd' as DeviceId,
  created_at: 7,
  mine: false,
}

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

it('say whose an item of a saved beam is, also when it comes after the list, until the beam is left', async () => {
  const list = [{ ...NOTE, id: MINE, mine: true }]
  vi.stubGlobal('fetch', async () => new Response(JSON.stringify(list)))
  const stores = createStores()
  stores.account.setState((state) => reduceAccount(state, { type: 'loggedOut' }), true)
  const take = vi.fn()
  const notes = createBeamNotes(() => 'beam' as BeamId, stores, createToaster(stores.toasts), take)
  await notes.load()
  expect(take).toHaveBeenCalledWith(new Map([[MINE, { mine: true }]]))
  expect(notes.listedMark(MINE)).toBeNull()
  const saved = { beam_name: 'Cabin', role: 'owner', by_link: false } as SavedBeam
  stores.access.setState({ kind: 'saved', saved }, true)
  expect([MINE, OTHER].map(notes.listedMark)).toEqual([{ mine: true }, { mine: false }])
  notes.end()
  expect(notes.listedMark(MINE)).toEqual({ mine: false })
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
