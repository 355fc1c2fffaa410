// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Device, DeviceId, ItemId } from '../../protocol/bindings'
import { fileItemMessage, pendingItem, textMessage } from '../../protocol/item'
import { createStores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { SendItemDialog } from './send-item-dialog'

const ID = 'a' as ItemId
const device = (name: string, caps: Device['caps']): Device => ({ device_id: name as DeviceId, name, caps })
const [phone, terminal] = [device('Phone', ['files']), device('Terminal', [])]

beforeEach(() => {
  // jsdom has the element without its methods.
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true
  }
  HTMLDialogElement.prototype.close = () => {}
})
afterEach(cleanup)

function offered({ message, extra }: { message: unknown; extra: string }) {
  const stores = createStores()
  stores.items.setState({ items: [pendingItem(ID, message, extra, 0)] })
  const names = Object.fromEntries([phone, terminal].map(({ device_id, name }) => [device_id, name]))
  stores.devices.setState({ devices: [phone, terminal], names })
  render(
    <AppContext value={{ stores, actions: {} as Actions }}>
      <SendItemDialog item={ID} onClose={() => {}} />
    </AppContext>,
  )
  return screen.getAllByRole('listitem').map(({ textContent }) => textContent)
}

it('a text can be sent to every device, a file only to those that take files', () => {
  expect(offered(textMessage('hi'))).toEqual(['Phone', 'Terminal'])
  cleanup()
  expect(offered(fileItemMessage({ name: 'a', size: 1, type: '' }))).toEqual(['Phone'])
})
