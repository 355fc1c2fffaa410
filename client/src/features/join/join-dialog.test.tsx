// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { findBeamId } from '../../protocol/beam-link'
import type { BeamId } from '../../protocol/bindings'
import { createStores } from '../../stores/stores'
import { type Actions, AppContext, type FoundBeam } from '../actions'
import { JoinDialog } from './join-dialog'

const ID = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
const onClose = vi.fn()
const joinBeam = vi.fn((text: string) => findBeamId(text) !== null)
const findByCode = vi.fn<Actions['findByCode']>()

beforeEach(() => {
  vi.clearAllMocks()
  // jsdom has the element without its methods.
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true
  }
  HTMLDialogElement.prototype.close = function close() {
    this.open = false
  }
  const actions = { joinBeam, findByCode } as unknown as Actions
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

  it('joins the beam that a short code stands for', async () => {
    findByCode.mockResolvedValue({ beam: ID as BeamId })
    enter('k7m-p3x')
    await vi.waitFor(() => expect(onClose).toHaveBeenCalledOnce())
    expect(findByCode).toHaveBeenCalledWith('K7MP3X')
    expect(joinBeam).toHaveBeenLastCalledWith(ID)
  })

  it('says why a short code leads nowhere, until something else is typed', async () => {
    findByCode.mockResolvedValue({ why: 'This code is wrong.' })
    enter('K7MP3X')
    await screen.findByText('This code is wrong.')
    enter('K7MP3')
    expect(screen.queryByText('This code is wrong.')).toBeNull()
    expect(onClose).not.toHaveBeenCalled()
  })

  it('joins nothing by a late answer to a code that is no longer in the field', async () => {
    let answer: (found: FoundBeam) => void = () => {}
    findByCode.mockReturnValue(new Promise((resolve) => (answer = resolve)))
    enter('K7MP3X')
    enter('K7MP3')
    answer({ beam: ID as BeamId })
    await Promise.resolve()
    expect(onClose).not.toHaveBeenCalled()
    expect(joinBeam).not.toHaveBeenCalledWith(ID)
  })

  it('closes by Cancel', () => {
    fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    expect(onClose).toHaveBeenCalledOnce()
    expect(joinBeam).not.toHaveBeenCalled()
  })
})
