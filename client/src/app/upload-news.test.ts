import { beforeEach, expect, it } from 'vitest'
import type { ItemId } from '../protocol/bindings'
import { createStores, type Stores } from '../stores/stores'
import { reduceTransfers } from '../stores/transfers'
import { createToaster } from './toaster'
import { UploadNews } from './upload-news'

let stores: Stores
let news: UploadNews

const id = (name: string) => name as ItemId
const toasts = () => stores.toasts.getState().toasts.map(({ text }) => text)
const shares = (...names: string[]) => {
  for (const name of names) {
    const event = { type: 'offering', id: id(name), url: `blob:${name}` } as const
    stores.transfers.setState((state) => reduceTransfers(state, event), true)
  }
  news.began(names.map((name) => ({ id: id(name), name })))
}

beforeEach(() => {
  stores = createStores()
  news = new UploadNews(stores.transfers, createToaster(stores.toasts))
})

it('a single file is named when it begins, and whenever a device has it', () => {
  shares('a.png')
  expect(toasts()).toEqual(['Uploading a.png'])
  news.arrived(id('a.png'), 'a.png')
  expect(toasts()).toEqual(['Uploading a.png', 'Uploaded "a.png" Successfully!'])
})

it('files that are shared together have one toast, which changes once all have arrived', () => {
  shares('a', 'b', 'c')
  expect(toasts()).toEqual(['Uploading 3 files'])
  news.arrived(id('a'), 'a')
  news.arrived(id('b'), 'b')
  // A second device has it as well.
  news.arrived(id('b'), 'b')
  expect(toasts()).toEqual(['Uploading 3 files'])
  news.arrived(id('c'), 'c')
  expect(toasts()).toEqual(['Uploaded 3 files Successfully!'])
  news.arrived(id('c'), 'c')
  expect(toasts()).toEqual(['Uploaded 3 files Successfully!'])
})

it('a file that is deleted meanwhile is neither waited for nor counted', () => {
  shares('a', 'b', 'c')
  news.arrived(id('a'), 'a')
  stores.transfers.setState((state) => reduceTransfers(state, { type: 'forgotten', id: id('b') }), true)
  news.arrived(id('c'), 'c')
  expect(toasts()).toEqual(['Uploaded 2 files Successfully!'])
})
