// @vitest-environment jsdom
import { beforeEach, describe, expect, it } from 'vitest'
import type { ItemId } from '../protocol/bindings'
import { createStores, type Stores } from '../stores/stores'
import { type Receiving, reduceTransfers, type TransfersEvent } from '../stores/transfers'
import { pausedFiles } from './marked-files'
import { keepPausedFiles } from './paused-files'

const PHOTO = 'photo' as ItemId

let stores: Stores
const tell = (event: TransfersEvent) =>
  stores.transfers.setState((state) => reduceTransfers(state, event), true)
const is = (state: Receiving) => tell({ type: 'receiving', id: PHOTO, state })

/** A page of the tab, as after a reload. */
function loadPage(): void {
  stores = createStores()
  keepPausedFiles(stores)
}

beforeEach(() => {
  sessionStorage.clear()
  loadPage()
  is({ status: 'queued', received: 0 })
})

describe('f18 a file that the person has paused', () => {
  beforeEach(() => is({ status: 'paused', received: 0, by: 'me' }))

  it('is known after a reload', () => {
    expect(pausedFiles.has(PHOTO)).toBe(true)
    expect(pausedFiles.has('other' as ItemId)).toBe(false)
    loadPage()
    expect(pausedFiles.has(PHOTO)).toBe(true)
    is({ status: 'paused', received: 0, by: 'me' })
    expect(pausedFiles.has(PHOTO)).toBe(true)
  })

  it.each<Receiving>([
    { status: 'queued', received: 0 },
    { status: 'cancelled', by: 'me' },
    { status: 'paused', received: 0, by: 'them' },
  ])('is forgotten once it is $status', (state) => {
    is(state)
    expect(pausedFiles.has(PHOTO)).toBe(false)
  })

  it('is forgotten with its item, and not when its beam is left', () => {
    tell({ type: 'left' })
    expect(pausedFiles.has(PHOTO)).toBe(true)
    is({ status: 'paused', received: 0, by: 'me' })
    tell({ type: 'forgotten', id: PHOTO })
    expect(pausedFiles.has(PHOTO)).toBe(false)
  })
})

it('f18_a_file_that_the_other_device_has_paused_is_none_of_them', () => {
  is({ status: 'paused', received: 0, by: 'them' })
  expect(pausedFiles.has(PHOTO)).toBe(false)
})
