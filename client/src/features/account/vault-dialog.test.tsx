// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createStores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { VaultDialog } from './vault-dialog'

const WORDS = 'abandon ability able about above absent absorb abstract absurd abuse access accident'.split(
  ' ',
)
const LOSS = /^Whoever forgets this password/

const type = (number: number, word: string | undefined) =>
  fireEvent.change(screen.getByLabelText(`Word ${number}`), { target: { value: word } })
const presses = (name: string) => fireEvent.click(screen.getByRole('button', { name }))

beforeEach(() => {
  // jsdom has the element without its methods.
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true
  }
  HTMLDialogElement.prototype.close = function close() {
    this.open = false
  }
  const actions = { vault: {} } as Partial<Actions> as Actions
  render(
    <AppContext value={{ stores: createStores(), actions }}>
      <VaultDialog words={WORDS} replaces={false} onClose={() => {}} />
    </AppContext>,
  )
})
afterEach(cleanup)

it('e17 tells a word that is missing from one that is wrong', async () => {
  presses('I have written them down')
  type(8, 'zebra')
  presses('Continue')
  expect(await screen.findAllByText('Type this word')).toHaveLength(2)
  expect(screen.getAllByText('This is another word')).toHaveLength(1)
})

it('e17 says what becomes of a password where one is chosen, and not before', async () => {
  expect(screen.queryByText(LOSS)).toBeNull()
  presses('I have written them down')
  for (const number of [3, 8, 11]) type(number, WORDS[number - 1])
  presses('Continue')
  expect(await screen.findByText(LOSS)).toBeDefined()
  expect(screen.getByText(/From now on you log in with the new one, too\./)).toBeDefined()
})
