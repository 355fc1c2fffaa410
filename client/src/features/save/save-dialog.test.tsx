// @vitest-environment jsdom
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createStores, type Stores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { SaveDialog } from './save-dialog'

const onClose = vi.fn()
const saveBeam = vi.fn(async (_name: string): Promise<string | null> => null)

let stores: Stores

beforeEach(() => {
  vi.clearAllMocks()
  // jsdom has the element without its methods.
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true
  }
  HTMLDialogElement.prototype.close = function close() {
    this.open = false
  }
  stores = createStores()
  render(
    <AppContext value={{ stores, actions: { saveBeam } as unknown as Actions }}>
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

  it('e18 saves no sealed beam whose keys a locked vault does not take, and says what to do', () => {
    act(() => {
      stores.encryption.setState({ kind: 'sealed', isDeposited: false }, true)
      stores.vault.setState({ own: { is: 'locked', needsWords: false } })
    })
    expect(screen.getByText(/Open the vault on your profile first/)).toBeDefined()
    fireEvent.change(name(), { target: { value: 'Cabin' } })
    expect(button()).toHaveProperty('disabled', true)
    const form = name().closest('form')
    if (form) fireEvent.submit(form)
    expect(saveBeam).not.toHaveBeenCalled()
  })

  it('saves a beam in clear text beside a locked vault', () => {
    act(() => {
      stores.encryption.setState({ kind: 'clear' }, true)
      stores.vault.setState({ own: { is: 'locked', needsWords: false } })
    })
    fireEvent.change(name(), { target: { value: 'Cabin' } })
    fireEvent.click(button())
    expect(saveBeam).toHaveBeenCalledOnce()
  })
})
