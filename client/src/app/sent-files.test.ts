// @vitest-environment jsdom
import { beforeEach, describe, expect, it } from 'vitest'
import type { DeviceId, ItemId } from '../protocol/bindings'
import { DIRECT } from '../protocol/way'
import { createStores, type Stores } from '../stores/stores'
import { reduceTransfers, type TransfersEvent } from '../stores/transfers'
import { keepSentFiles, sentBefore } from './sent-files'

const FILM = 'film' as ItemId
const [BOB, CYD] = ['bob', 'cyd'] as [DeviceId, DeviceId]
const done = { status: 'done', way: DIRECT } as const

let stores: Stores
const tell = (event: TransfersEvent) =>
  stores.transfers.setState((state) => reduceTransfers(state, event), true)

/** A page of the tab, as after a reload. */
function loadPage(): void {
  stores = createStores()
  keepSentFiles(stores)
}

beforeEach(() => {
  sessionStorage.clear()
  loadPage()
  tell({ type: 'offering', id: FILM, url: 'blob:film' })
})

describe('a file that was sent before a reload', () => {
  it('is known to be at the devices that have all of it', () => {
    tell({ type: 'sending', id: FILM, to: BOB, state: done })
    tell({ type: 'sending', id: FILM, to: CYD, state: { status: 'parked', sent: 1 } })
    loadPage()
    expect(sentBefore(FILM)).toEqual({ [BOB]: done })
    tell({ type: 'lost', id: FILM, asks: false, to: sentBefore(FILM) })
    tell({ type: 'lost', id: FILM, asks: true })
    tell({ type: 'offering', id: FILM, url: 'blob:film' })
    expect(stores.transfers.getState().transfers[FILM]).toMatchObject({
      role: 'sending',
      to: { [BOB]: done },
    })
  })

  it('is no longer at a device that wants it again', () => {
    tell({ type: 'sending', id: FILM, to: BOB, state: done })
    loadPage()
    tell({ type: 'lost', id: FILM, asks: false, to: sentBefore(FILM) })
    tell({ type: 'missed', id: FILM, by: BOB })
    expect(stores.transfers.getState().transfers[FILM]).toMatchObject({ role: 'lost', to: {} })
    expect(sentBefore(FILM)).toEqual({})
  })

  it('is forgotten with its item, or with its beam', () => {
    for (const gone of [{ type: 'forgotten', id: FILM }, { type: 'left' }] as const) {
      tell({ type: 'offering', id: FILM, url: 'blob:film' })
      tell({ type: 'sending', id: FILM, to: BOB, state: done })
      tell(gone)
      expect(sentBefore(FILM)).toEqual({})
    }
  })

  it('is at nobody where what the tab has stored cannot be read', () => {
    sessionStorage.setItem(`sent ${FILM}`, '{"bob": true}')
    expect(sentBefore(FILM)).toEqual({})
  })
})
