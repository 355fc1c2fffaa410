// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { newFileSeal } from '../crypto/file-keys'
import type { DeviceId, ItemId } from '../protocol/bindings'
import { liveItem, storedItemMessage } from '../protocol/item'
import { DIRECT } from '../protocol/way'
import { reduceItems } from '../stores/items'
import { createStores, type Stores } from '../stores/stores'
import { type Receiving, reduceTransfers } from '../stores/transfers'
import { createSavingAll } from './saving-all'
import { createToaster } from './toaster'

const [PLAN, NOTES] = ['plan', 'notes'] as ItemId[]
const BATCH = '5b1f4a52-7d0e-4c3b-9a41-2f6d8e0c7b13' as ItemId

let stores: Stores
let saving: ReturnType<typeof createSavingAll>
/** What was received, and what into a file that the person picks. */
let received: ItemId[]
let receivedAs: ItemId[]
/** What the browser was given to save. */
let downloads: string[]

const is = (id: ItemId | undefined, state: Receiving) => {
  if (id === undefined) throw new Error('no item')
  stores.transfers.setState((old) => reduceTransfers(old, { type: 'receiving', id, state }), true)
}
const comes = (id: ItemId | undefined) => is(id, { status: 'queued', received: 0 })
const isHere = (id: ItemId | undefined) =>
  is(id, { status: 'done', url: `blob:${id}`, way: DIRECT, isKept: true })
const isWaiting = (id: ItemId | undefined) => id !== undefined && id in stores.saves.getState().saves
const toasts = () => stores.toasts.getState().toasts.map(({ text }) => text)
/** Lets everything happen that waits for nothing else. */
const settles = () => vi.advanceTimersByTimeAsync(1_000)

beforeEach(() => {
  vi.useFakeTimers()
  stores = createStores()
  received = []
  receivedAs = []
  downloads = []
  const receive = (id: ItemId) => {
    received.push(id)
    comes(id)
  }
  const saveAs = async (id: ItemId) => void receivedAs.push(id)
  saving = createSavingAll({ stores, toaster: createToaster(stores.toasts) }, { receive, saveAs })
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    downloads.push(`${this.download} from ${this.href}`)
  })
  const items = [PLAN, NOTES].map((id, index) => {
    const batch = { id: BATCH, count: 2, index }
    const url = `/api/uploads/${'0123456789abcdef'.repeat(2)}`
    const facts = { name: `${id}.pdf`, size: 4, type: 'application/pdf', url, seal: newFileSeal(), batch }
    const of = { id: id as ItemId, seq: index + 1, from: 'ada' as DeviceId, at: 0 }
    return liveItem({ ...of, ...storedItemMessage(facts) }, null)
  })
  stores.items.setState({ items, epoch: 'e' })
  for (const id of [PLAN, NOTES]) is(id, { status: 'offered' })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

describe('e7 a file of which the server has a sealed copy', () => {
  it('is received by the press that saves it, and saved once it is here', async () => {
    void saving.saveHere(PLAN as ItemId)
    await settles()
    expect([received, downloads, isWaiting(PLAN)]).toEqual([[PLAN], [], true])
    isHere(PLAN)
    await settles()
    expect([downloads, isWaiting(PLAN)]).toEqual([['plan.pdf from blob:plan'], false])
  })

  it('is saved once, though its person presses twice', async () => {
    void saving.saveHere(PLAN as ItemId)
    void saving.saveHere(PLAN as ItemId)
    await settles()
    isHere(PLAN)
    await settles()
    expect([received, downloads]).toEqual([[PLAN], ['plan.pdf from blob:plan']])
  })

  it.each<[string, Receiving[]]>([
    ['cancelled', [{ status: 'cancelled', by: 'me' }]],
    [
      'given up after a failure',
      [{ status: 'failed', received: 1, why: 'corrupt' as never }, { status: 'offered' }],
    ],
  ])('is not saved when it is %s, and can be saved again', async (_, states) => {
    void saving.saveHere(PLAN as ItemId)
    await settles()
    for (const state of states) {
      is(PLAN, state)
      await settles()
    }
    expect([isWaiting(PLAN), downloads]).toEqual([false, []])
    void saving.saveHere(PLAN as ItemId)
    await settles()
    isHere(PLAN)
    await settles()
    expect([received, downloads]).toEqual([[PLAN, PLAN], ['plan.pdf from blob:plan']])
  })

  it('is saved after a pause and after a failure that was tried again', async () => {
    void saving.saveHere(PLAN as ItemId)
    await settles()
    is(PLAN, { status: 'paused', received: 1, by: 'me' })
    is(PLAN, { status: 'failed', received: 1, why: 'corrupt' as never })
    comes(PLAN)
    await settles()
    expect([isWaiting(PLAN), downloads]).toEqual([true, []])
    isHere(PLAN)
    await settles()
    expect(downloads).toEqual(['plan.pdf from blob:plan'])
  })

  it('is waited for no longer when it is deleted, or its beam was left', async () => {
    void saving.saveHere(PLAN as ItemId)
    await settles()
    const deleted = { type: 'deleted', message: null, id: PLAN as ItemId } as const
    stores.items.setState((state) => reduceItems(state, deleted), true)
    await settles()
    expect([isWaiting(PLAN), downloads]).toEqual([false, []])
  })

  it('goes straight into the file that its person picks', async () => {
    await saving.saveHereAs(PLAN as ItemId)
    expect([receivedAs, received]).toEqual([[PLAN], []])
  })

  it('is one of several that come at once and are saved in their order', async () => {
    void saving.saveAll(BATCH)
    await settles()
    expect(received).toEqual([PLAN, NOTES])
    isHere(NOTES)
    await settles()
    expect(downloads).toEqual([])
    isHere(PLAN)
    await settles()
    expect(downloads).toEqual(['plan.pdf from blob:plan', 'notes.pdf from blob:notes'])
    expect(toasts()).toEqual(['The browser has 2 downloads to save'])
  })

  it('is named where it was given up and the others were saved', async () => {
    const folder = { name: 'picked' }
    vi.stubGlobal('showDirectoryPicker', async () => folder)
    void saving.download([BATCH])
    await settles()
    is(PLAN, { status: 'cancelled', by: 'me' })
    isHere(NOTES)
    await settles()
    expect(downloads).toEqual(['notes.pdf from blob:notes'])
  })

  it('holds up none of the others when it does not come, and is named with the reason', async () => {
    void saving.saveAll(BATCH)
    await settles()
    is(PLAN, { status: 'failed', received: 0, why: { reason: 'gone' } })
    isHere(NOTES)
    await settles()
    expect([downloads, isWaiting(PLAN), isWaiting(BATCH)]).toEqual([
      ['notes.pdf from blob:notes'],
      false,
      false,
    ])
    expect(toasts()).toEqual([
      'Saved 1 of 2 files. “plan.pdf” could not be saved. The other device no longer has this file. Ask for it to be shared again.',
    ])
  })

  it('is not asked for again by the same press when it failed or was given up before its turn', async () => {
    void saving.saveAll(BATCH)
    await settles()
    is(NOTES, { status: 'failed', received: 0, why: { reason: 'notWritten' } })
    is(NOTES, { status: 'offered' })
    isHere(PLAN)
    await settles()
    expect([received, downloads, isWaiting(BATCH)]).toEqual([
      [PLAN, NOTES],
      ['plan.pdf from blob:plan'],
      false,
    ])
    expect(toasts()).toEqual(['Saved 1 of 2 files. “notes.pdf” could not be saved.'])
  })

  it('is waited for no longer once its person stops that', async () => {
    void saving.saveHere(PLAN as ItemId)
    await settles()
    saving.stopSaving(PLAN as ItemId)
    await settles()
    isHere(PLAN)
    await settles()
    expect([isWaiting(PLAN), downloads]).toEqual([false, []])
  })
})
