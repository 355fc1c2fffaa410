// @vitest-environment jsdom
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { BeamId, Device, DeviceId } from '../../protocol/bindings'
import { createStores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { DropZone } from '../files/drop-zone'
import { SendDialog } from './send-dialog'

const PHONE = 'phone' as DeviceId
const phone: Device = { device_id: PHONE, name: 'Phone', caps: ['files'] }
const file = new File(['x'], 'a.txt')
const dataTransfer = { types: ['Files'], items: [], files: [file] }

const shareFiles = vi.fn(() => true)
const onClose = vi.fn()

beforeEach(() => {
  vi.clearAllMocks()
  // jsdom has the element without its methods.
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true
  }
  HTMLDialogElement.prototype.close = () => {}
})
afterEach(cleanup)

function opens(to: Device) {
  const stores = createStores()
  const session = { beamId: 'b' as BeamId, beamKey: null, beamName: '', expiresAt: 0 }
  stores.session.setState({ status: 'set', session }, true)
  stores.devices.setState({ devices: [to], names: { [PHONE]: to.name } })
  const readsFolder = () => ({ found: () => {}, end: () => {} })
  render(
    <AppContext value={{ stores, actions: { shareFiles, warn: vi.fn(), readsFolder } as unknown as Actions }}>
      <DropZone />
      <SendDialog to={to} onClose={onClose} />
    </AppContext>,
  )
  return screen.getByRole('dialog')
}

it('s33_a_file_dropped_on_the_dialog_of_one_device_goes_to_that_device_alone', async () => {
  const dialog = opens(phone)
  fireEvent.dragOver(dialog, { dataTransfer })
  expect(screen.getByPlaceholderText('Drop to send to Phone')).toBeTruthy()
  await act(async () => void fireEvent.drop(dialog, { dataTransfer }))
  expect(shareFiles).toHaveBeenCalledExactlyOnceWith([file], { to: PHONE })
  expect(onClose).toHaveBeenCalledOnce()
})

it('s33_the_dialog_of_a_device_that_takes_no_files_says_nothing_of_a_drop', () => {
  const dialog = opens({ ...phone, caps: [] })
  fireEvent.dragOver(dialog, { dataTransfer })
  expect(screen.queryByPlaceholderText('Drop to send to Phone')).toBeNull()
})
