// @vitest-environment jsdom
import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ItemId } from '../../protocol/bindings'
import { fileItemMessage, pendingItem, textMessage } from '../../protocol/item'
import { reduceCanvas } from '../../stores/canvas'
import { reduceItems } from '../../stores/items'
import { createStores, type Stores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { CopyHint } from './copy-hint'

const [FILM, TEXT] = ['film', 'text'] as [ItemId, ItemId]

let stores: Stores
const shares = (id: ItemId, { message, extra }: { message: unknown; extra: string }) => {
  const event = { type: 'shared', item: pendingItem(id, message, extra, 0) } as const
  stores.items.setState((state) => reduceItems(state, event), true)
}
const selects = (...ids: ItemId[]) =>
  act(() => stores.canvas.setState((state) => reduceCanvas(state, { type: 'selected', ids }), true))
const isShown = () => screen.queryByText('Double Click a note to copy') !== null

beforeEach(() => {
  stores = createStores()
  shares(FILM, fileItemMessage({ name: 'film.bin', size: 1, type: '' }))
  render(
    <AppContext value={{ stores, actions: {} as Actions }}>
      <CopyHint />
    </AppContext>,
  )
})
afterEach(cleanup)

it('is not shown for a file, which no double click copies', () => {
  expect(isShown()).toBe(false)
})

it('is shown for what is selected, and otherwise for any note that can be copied', () => {
  act(() => shares(TEXT, textMessage('hello')))
  expect(isShown()).toBe(true)
  selects(FILM)
  expect(isShown()).toBe(false)
  selects(FILM, TEXT)
  expect(isShown()).toBe(true)
})

it('is shown for a picture', () => {
  act(() => stores.media.setState({ kinds: { [FILM]: { media: 'image' } } } as never))
  expect(isShown()).toBe(true)
})
