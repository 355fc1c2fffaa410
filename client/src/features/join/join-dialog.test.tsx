// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { findBeamId } from '../../protocol/beam-link'
import { createStores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { JoinDialog } from './join-dialog'

const ID = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
const onClose = vi.fn()
const joinBeam = vi.fn((text: string) => findBeamId(text) !== null)

beforeEach(() => {
  vi.clearAllMocks()
  // jsdom has the element without its methods.
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true
  }
  HTMLDialogElement.prototype.close = function close() {
    this.open = false
  }
  const actions = { joinBeam } as unknown as Actions
  render(
    <AppContext value={{ stores: createStores(), actions }}>
      <JoinDialog onClose={onClose} />
    </AppContext>,
  )
})
afterEach(cleanup)

const enter = (text: string) =>
  fireEvent.change(screen.getByRole('textbox', { name: 'Enter Beam ID' }), { target: { value: text } })

describe('the Join Beam dialog', () => {
  it('shows how many characters are missing and stays open', () => {
    enter(ID.slice(0, 28))
    expect(screen.getByText('8 characters to go. A whole link works too.')).toBeDefined()
    expect(onClose).not.toHaveBeenCalled()
  })

  it.each([ID, ` ${ID} `, `https://heliograph.example/?beam_id=${ID}`])('joins by %s and closes', (text) => {
    enter(text)
    expect(onClose).toHaveBeenCalledOnce()
  })

  it('shows that a text of full length is not an id', () => {
    enter('not an id, but as long as one would be')
    expect(screen.getByRole('textbox').getAttribute('aria-invalid')).toBe('true')
    expect(onClose).not.toHaveBeenCalled()
  })

  it('closes by Cancel', () => {
    fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    expect(onClose).toHaveBeenCalledOnce()
    expect(joinBeam).not.toHaveBeenCalled()
  })
})
