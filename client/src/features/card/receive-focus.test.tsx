// @vitest-environment jsdom
import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { DeviceId, ItemId } from '../../protocol/bindings'
import { fileItemMessage, pendingItem } from '../../protocol/item'
import { DIRECT } from '../../protocol/way'
import { type Card, cardsOf, isBatch } from '../../stores/cards'
import { createStores, type Stores } from '../../stores/stores'
import { type Receiving, reduceTransfers } from '../../stores/transfers'
import { type Actions, AppContext } from '../actions'
import { IncomingSheet } from '../incoming/incoming-sheet'
import { ListCard } from './list-card'
import { NoteCard } from './note-card'

const ADA = 'ada' as DeviceId
const IDS = ['a', 'b'] as ItemId[]
const BATCH = '0b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as ItemId

let stores: Stores
const comes = (id: ItemId, state: Receiving) =>
  stores.transfers.setState((old) => reduceTransfers(old, { type: 'receiving', id, state }), true)
const actions = { receive: (id: ItemId) => comes(id, { status: 'queued', received: 0 }), canSaveAs: true }

beforeEach(() => {
  stores = createStores()
  // jsdom has no modal dialogs.
  HTMLDialogElement.prototype.showModal = function show() {
    this.open = true
  }
  HTMLDialogElement.prototype.close = () => {}
  for (const id of IDS) comes(id, { status: 'offered' })
})
afterEach(cleanup)

/** One file from Ada, or two that she shared together. */
function cardOf(count: number): Card {
  const files = IDS.slice(0, count).map((id, index) => {
    const batch = count > 1 ? { id: BATCH, count, index } : undefined
    const { message, extra } = fileItemMessage({ name: `${id}.bin`, size: 100, type: '', batch })
    return { ...pendingItem(id, message, extra, 0), from: ADA, seq: index }
  })
  const [card] = cardsOf(files)
  if (!card) throw new Error('no card')
  return card
}

const shows = (element: React.ReactNode) =>
  render(<AppContext value={{ stores, actions: actions as unknown as Actions }}>{element}</AppContext>)

/** Presses a button as the Enter key does. */
function press(name: string): void {
  const button = screen.getByRole('button', { name, hidden: true })
  button.focus()
  act(() => button.click())
}

const focused = () =>
  document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent

it.each([
  ['a list', () => <ListCard card={cardOf(1)} isHalf={false} />],
  ['the canvas', () => <NoteCard card={cardOf(1)} drawn />],
])('on a card of %s, Receive gives the focus to Pause, and Pause gives it to Save', (_where, card) => {
  shows(card())
  press('Receive')
  expect(focused()).toBe('Pause')
  act(() => comes('a' as ItemId, { status: 'done', url: 'blob:a', way: DIRECT, isKept: true }))
  expect(focused()).toBe('Save')
})

it.each(['list', 'note'] as const)(
  'on a batch of a %s, each Receive gives it to the Pause beside it',
  (on) => {
    const card = cardOf(2)
    shows(on === 'list' ? <ListCard card={card} isHalf={false} /> : <NoteCard card={card} drawn />)
    press('Receive b.bin')
    expect(focused()).toBe('Pause')
    expect(document.activeElement?.closest('li')?.textContent).toContain('b.bin')
    press('Receive 1 more')
    expect(focused()).toBe('Pause all')
  },
)

it('on the sheet of what arrives, Receive all gives it to Pause', () => {
  const batch = cardOf(2)
  if (!isBatch(batch)) throw new Error('no batch')
  shows(<IncomingSheet batch={batch} onClose={() => {}} />)
  press('Receive all')
  expect(focused()).toBe('Pause')
})
