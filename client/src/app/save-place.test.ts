// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ItemId } from '../protocol/bindings'
import { fileItemMessage, pendingItem } from '../protocol/item'
import { DIRECT } from '../protocol/way'
import { reduceItems } from '../stores/items'
import { createStores, type Stores } from '../stores/stores'
import { reduceTransfers } from '../stores/transfers'
import type { SavePlace } from '../transport/save-place'
import { createSavePlaces } from './save-place'
import { createSavingOne } from './saving-one'
import { createToaster } from './toaster'

const ID = 'a' as ItemId

const NOTHING_COMES = { bring: async () => null, saveAs: async () => {} }

let stores: Stores
/** What the browser says of the kept folder. */
let opens: Awaited<ReturnType<SavePlace['open']>>
/** The names of the folders that were kept. */
let kept: (string | null)[]
let downloads: string[]

const folder = (name: string) => ({ name }) as FileSystemDirectoryHandle
const place = {
  name: async () => 'old',
  keep: async ({ name }: { name: string }) => void kept.push(name),
  forget: async () => void kept.push(null),
  open: async () => opens,
}
const places = () => createSavePlaces({ stores, toaster: createToaster(stores.toasts) }, place)
const toasts = () => stores.toasts.getState().toasts

beforeEach(() => {
  stores = createStores()
  kept = []
  downloads = []
  vi.stubGlobal('showDirectoryPicker', async () => folder('new'))
  stores.savePlace.setState({ status: 'kept', name: 'old' }, true)
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    downloads.push(this.download)
  })
  const { message, extra } = fileItemMessage({ name: 'a.txt', size: 1, type: '' })
  const item = pendingItem(ID, message, extra, 0)
  stores.items.setState((state) => reduceItems(state, { type: 'shared', item }), true)
  const done = { status: 'done', url: 'blob:a', way: DIRECT, isKept: true } as const
  stores.transfers.setState(
    (state) => reduceTransfers(state, { type: 'receiving', id: ID, state: done }),
    true,
  )
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

it('a kept folder that was removed is said, another one can be chosen, and files are downloads until then', async () => {
  opens = 'gone'
  const { saveHere } = createSavingOne(
    { stores, toaster: createToaster(stores.toasts) },
    places(),
    NOTHING_COMES,
  )
  await saveHere(ID)
  expect([downloads, kept, stores.savePlace.getState()]).toEqual([['a.txt'], [null], { status: 'downloads' }])
  const [toast] = toasts()
  expect(toast?.text).toBe('The folder “old” is no longer there. Files are saved as downloads again.')
  expect(toast?.action?.label).toBe('Choose…')
  toast?.action?.run()
  await vi.waitFor(() => expect(stores.savePlace.getState()).toEqual({ status: 'kept', name: 'new' }))
  expect(kept).toEqual([null, 'new'])
})

describe('a kept folder that the browser refuses to forget', () => {
  const refusing = () =>
    createSavePlaces(
      { stores, toaster: createToaster(stores.toasts) },
      { ...place, forget: () => Promise.reject(new Error('The disk is full.')) },
    )

  it('stays the place', async () => {
    await refusing().forgetSavePlace()
    expect(stores.savePlace.getState()).toEqual({ status: 'kept', name: 'old' })
  })

  it('is no place any more where it was removed', async () => {
    opens = 'gone'
    expect(await refusing().kept()).toBe('none')
    expect(stores.savePlace.getState()).toEqual({ status: 'downloads' })
    expect(toasts()).toHaveLength(1)
  })
})

it('where several files need a folder, another one is asked for at once', async () => {
  opens = 'gone'
  expect((await places().folder())?.name).toBe('new')
})

it('a kept folder that is not allowed now stays, and nothing is saved elsewhere without a word', async () => {
  opens = 'refused'
  const { saveHere } = createSavingOne(
    { stores, toaster: createToaster(stores.toasts) },
    places(),
    NOTHING_COMES,
  )
  await saveHere(ID)
  expect([downloads, kept, stores.savePlace.getState().status]).toEqual([[], [], 'kept'])
  expect(toasts().map(({ text, action }) => [text, action?.label])).toEqual([
    ['The folder “old” cannot be used. Save again and allow it, or choose another one.', 'Choose…'],
  ])
})
