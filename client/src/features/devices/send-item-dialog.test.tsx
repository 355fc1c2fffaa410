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

function offered(
  { message, extra }: { message: unknown; extra: string },
  stores = createStores(),
  here = [phone, terminal],
) {
  stores.items.setState({ items: [pendingItem(ID, message, extra, 0)] })
  const names = Object.fromEntries(here.map(({ device_id, name }) => [device_id, name]))
  stores.devices.setState({ devices: here, names })
  render(
    <AppContext value={{ stores, actions: {} as Actions }}>
      <SendItemDialog item={ID} onClose={() => {}} />
    </AppContext>,
  )
  return screen.queryAllByRole('listitem').map(({ textContent }) => textContent)
}

it('a text can be sent to every device, a file only to those that take files', () => {
  expect(offered(textMessage('hi'))).toEqual(['Phone', 'Terminal'])
  cleanup()
  expect(offered(fileItemMessage({ name: 'a', size: 1, type: '' }))).toEqual(['Phone'])
})

it('e8_nothing_sealed_can_be_sent_to_a_device_that_nobody_has_let_in', () => {
  const stores = createStores()
  const sealing = device('Tablet', ['e2e1', 'files'])
  stores.encryption.setState({ kind: 'sealed', isDeposited: false }, true)
  const asks = { signs: [1, 2, 3, 4], state: 'asking', isIn: false } as const
  stores.trust.setState({ ...stores.trust.getState(), devices: { [sealing.device_id]: asks } }, true)
  expect(offered(textMessage('hi'), stores, [sealing])).toEqual([])
  cleanup()
  stores.trust.setState({ ...stores.trust.getState(), devices: {} }, true)
  expect(offered(textMessage('hi'), stores, [sealing])).toEqual(['Tablet'])
})
