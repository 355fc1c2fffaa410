// @vitest-environment jsdom
import { beforeEach, expect, it } from 'vitest'
import type { ItemId } from '../protocol/bindings'
import { createStores, type Stores } from '../stores/stores'
import { type Receiving, reduceTransfers, type TransfersEvent } from '../stores/transfers'
import { keepAskedFiles } from './asked-files'
import { askedFiles } from './marked-files'

const FILE = 'file' as ItemId

let stores: Stores
const tell = (event: TransfersEvent) =>
  stores.transfers.setState((state) => reduceTransfers(state, event), true)
const is = (state: Receiving) => tell({ type: 'receiving', id: FILE, state })

/** A page of the tab, as after a reload. */
function loadPage(): void {
  stores = createStores()
  keepAskedFiles(stores)
}

beforeEach(() => {
  sessionStorage.clear()
  loadPage()
  askedFiles.note(FILE)
  is({ status: 'queued', received: 0 })
})

it('a file that was asked for is known after a reload, also when its beam was left or it has failed', () => {
  is({ status: 'failed', received: 0, why: { reason: 'gone' } })
  tell({ type: 'left' })
  loadPage()
  expect(askedFiles.has(FILE)).toBe(true)
  is({ status: 'queued', received: 0 })
  expect(askedFiles.has(FILE)).toBe(true)
  expect(askedFiles.has('other' as ItemId)).toBe(false)
})

it.each<Receiving>([
  { status: 'done', url: null, way: null, isKept: true },
  { status: 'cancelled', by: 'me' },
  { status: 'offered' },
])('one that is $status is waited for no more', (state) => {
  is(state)
  expect(askedFiles.has(FILE)).toBe(false)
})

it('one whose item is deleted is waited for no more', () => {
  tell({ type: 'forgotten', id: FILE })
  expect(askedFiles.has(FILE)).toBe(false)
})
