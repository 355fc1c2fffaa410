// @vitest-environment jsdom
import { act, cleanup, renderHook } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { DeviceId, ItemId } from '../../protocol/bindings'
import { fileItemMessage, pendingItem } from '../../protocol/item'
import type { FileItem } from '../../stores/cards'
import { createStores, type Stores } from '../../stores/stores'
import { type Receiving, reduceTransfers, type Sending, type TransfersEvent } from '../../stores/transfers'
import { type Actions, AppContext } from '../actions'
import { useFilesAsOne, useTransferActions } from './use-batch'

const BOB = 'bob' as DeviceId
const IDS = ['a', 'b', 'c'] as ItemId[]
const [A, B, C] = IDS as [ItemId, ItemId, ItemId]

let stores: Stores
let told: string[]

beforeEach(() => {
  stores = createStores()
  told = []
})
afterEach(cleanup)

const put = (event: TransfersEvent) =>
  act(() => stores.transfers.setState((state) => reduceTransfers(state, event), true))
const offers = (id: ItemId) => put({ type: 'offering', id, url: `blob:${id}` })
const goes = (id: ItemId, state: Sending) => put({ type: 'sending', id, to: BOB, state })
const comes = (id: ItemId, state: Receiving) => put({ type: 'receiving', id, state })

const fileOf = (id: ItemId): FileItem => {
  const { message, extra } = fileItemMessage({ name: `${id}.bin`, size: 100, type: '' })
  return pendingItem(id, message, extra, 0) as FileItem
}
const FILES = IDS.map(fileOf)

/** What can be done with the transfers of some files, on a card or in a list of them among all. */
function actionsOf(files: readonly FileItem[], all?: readonly FileItem[]) {
  const says = (action: string) => (id: ItemId) => void told.push(`${action} ${id}`)
  const actions = { cancel: says('cancel'), pause: says('pause'), resume: says('resume') }
  const wrapper = ({ children }: { children: ReactNode }) => (
    <AppContext value={{ stores, actions: actions as unknown as Actions }}>{children}</AppContext>
  )
  return renderHook(() => useTransferActions(useFilesAsOne(files), all), { wrapper }).result.current
}

it('what goes from here is paused and cancelled as one, also the files that no device has begun with', () => {
  for (const id of IDS) offers(id)
  goes(A, { status: 'parked', sent: 0 })
  goes(B, { status: 'done', way: { direct: 1, turn: 0, server: false } })
  actionsOf(FILES).pause()
  actionsOf(FILES).cancel()
  goes(A, { status: 'paused', sent: 0, by: 'me' })
  actionsOf(FILES).resume()
  expect(told).toEqual(
    [C, B, A]
      .map((id) => `pause ${id}`)
      .concat(
        IDS.map((id) => `cancel ${id}`),
        IDS.map((id) => `resume ${id}`),
      ),
  )
})

it('also those that a list of what is under way does not show', () => {
  for (const id of IDS) offers(id)
  goes(A, { status: 'parked', sent: 0 })
  actionsOf(FILES.slice(0, 1), FILES).pause()
  expect(told).toEqual(['pause c', 'pause b', 'pause a'])
})

it('what comes here is paused where it comes, and what is offered from here stays so', () => {
  comes(A, { status: 'queued', received: 0 })
  comes(B, { status: 'offered' })
  offers(C)
  actionsOf(FILES).pause()
  expect(told).toEqual(['pause a'])
})
