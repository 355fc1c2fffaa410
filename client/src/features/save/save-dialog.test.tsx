// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createStores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { SaveDialog } from './save-dialog'

const onClose = vi.fn()
const saveBeam = vi.fn(async (_name: string): Promise<string | null> => null)

beforeEach(() => {
  vi.clearAllMocks()
  // jsdom has the element without its methods.
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true
  }
  HTMLDialogElement.prototype.close = function close() {
    this.open = false
  }
  render(
    <AppContext value={{ stores: createStores(), actions: { saveBeam } as unknown as Actions }}>
      <SaveDialog onClose={onClose} />
    </AppContext>,
  )
})
afterEach(cleanup)

const name = () => screen.getByRole('textbox', { name: 'Beam Name' })
const button = () => screen.getByRole('button', { name: 'Save' })

describe('the Save Beam dialog', () => {
  it('saves a trimmed name and closes', async () => {
    fireEvent.change(name(), { target: { value: '  Cabin weekend ' } })
    fireEvent.click(button())
    await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
    expect(saveBeam).toHaveBeenCalledWith('Cabin weekend')
  })

  it('is disabled while the name is blank, and says so', () => {
    expect(button()).toHaveProperty('disabled', true)
    fireEvent.change(name(), { target: { value: '   ' } })
    fireEvent.keyDown(name(), { key: 'Enter' })
    expect(screen.getByText('Please enter a beam name')).toBeDefined()
    expect(saveBeam).not.toHaveBeenCalled()
  })

  it('saves once, however often it is asked', () => {
    saveBeam.mockReturnValueOnce(new Promise(() => {}))
    fireEvent.change(name(), { target: { value: 'Cabin' } })
    fireEvent.click(button())
    const form = name().closest('form')
    if (form) fireEvent.submit(form)
    expect(saveBeam).toHaveBeenCalledOnce()
  })

  it('stays open with the reason when it was refused', async () => {
    saveBeam.mockResolvedValueOnce('Log in to save this beam.')
    fireEvent.change(name(), { target: { value: 'Cabin' } })
    fireEvent.click(button())
    expect(await screen.findByText('Log in to save this beam.')).toBeDefined()
    expect(onClose).not.toHaveBeenCalled()
  })
})
