// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { DeviceId, ItemId } from '../../protocol/bindings'
import { fileItemMessage, type Item, liveItem } from '../../protocol/item'
import { createStores, type Stores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { CanvasContext, type CanvasValue } from './canvas-context'
import { ContextMenu } from './context-menu'
import { type CanvasCommands, CommandsContext } from './use-commands'

const BATCH = '5b1f4a52-7d0e-4c3b-9a41-2f6d8e0c7b13' as ItemId
const NOTE = 'note' as ItemId

const live = (id: string, message: { message: unknown; extra: string }): Item =>
  liveItem({ id: id as ItemId, ...message, seq: 1, from: 'ada' as DeviceId, at: 0 }, null)
const file = (index: number) =>
  live(`${index}`, fileItemMessage({ name: 'a', size: 1, type: '', batch: { id: BATCH, count: 2, index } }))

const copy = vi.fn()
let stores: Stores

beforeEach(() => {
  vi.clearAllMocks()
  stores = createStores()
  stores.items.setState({ items: [live(NOTE, { message: 'hi', extra: 'text' }), file(0), file(1)] })
})
afterEach(cleanup)

function opensOn(note: ItemId) {
  const commands = { copy, closeMenu: () => {} } as Partial<CanvasCommands> as CanvasCommands
  const canvas = { board: { element: () => null } } as unknown as CanvasValue
  render(
    <AppContext value={{ stores, actions: {} as Actions }}>
      <CanvasContext value={canvas}>
        <CommandsContext value={commands}>
          <ContextMenu note={note} at={{ x: 0, y: 0 }} />
        </CommandsContext>
      </CanvasContext>
    </AppContext>,
  )
}

it('of a batch copies its names', () => {
  opensOn(BATCH)
  fireEvent.click(screen.getByRole('menuitem', { name: 'Copy names' }))
  expect(copy).toHaveBeenCalledExactlyOnceWith([BATCH])
})

it('of several selected notes counts only those that are still there', () => {
  stores.canvas.setState({ selected: new Set([NOTE, BATCH, 'gone' as ItemId]) })
  opensOn(NOTE)
  fireEvent.click(screen.getByRole('menuitem', { name: 'Copy 2 notes' }))
  expect(copy).toHaveBeenCalledExactlyOnceWith([NOTE, BATCH])
})

it('of one that is left of several speaks of one', () => {
  stores.canvas.setState({ selected: new Set([NOTE, 'gone' as ItemId]) })
  opensOn(NOTE)
  expect(screen.getByRole('menuitem', { name: 'Copy' })).toBeTruthy()
})
