// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Device, DeviceId } from '../../protocol/bindings'
import type { Encryption } from '../../stores/encryption'
import { createStores, type Stores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { AboutDialog } from './about-dialog'

beforeEach(() => {
  // jsdom has the element without its methods.
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true
  }
  HTMLDialogElement.prototype.close = () => {}
})
afterEach(cleanup)

const PROMISE = /^End-to-end secure/

const PHONE = 'phone' as DeviceId
const SEALED: Encryption = { kind: 'sealed', isDeposited: false }

function about(encryption: Encryption, prepare: (stores: Stores) => void = () => {}) {
  const stores = createStores()
  stores.encryption.setState(encryption, true)
  prepare(stores)
  render(
    <MemoryRouter>
      <AppContext value={{ stores, actions: {} as Actions }}>
        <AboutDialog onClose={() => {}} />
      </AppContext>
    </MemoryRouter>,
  )
}

function isToCompare({ trust }: Stores) {
  trust.setState({ devices: { [PHONE]: { signs: [], state: 'unverified', isIn: true } } })
}

it('e1_the_promise_that_a_beam_is_sealed_is_made_in_one_that_is', () => {
  about(SEALED)
  expect(screen.getByText(PROMISE)).toBeDefined()
})

it('e8_it_is_made_too_where_a_device_is_still_to_be_compared', () => {
  about(SEALED, isToCompare)
  expect(screen.getByText(PROMISE)).toBeDefined()
})

it.each([
  ['all are compared', () => {}],
  ['a device is still to be compared', isToCompare],
])('e9_it_is_not_made_of_a_beam_whose_keys_the_server_may_have_where_%s', (_, prepare) => {
  about({ kind: 'sealed', isDeposited: true }, prepare)
  expect(screen.queryByText(PROMISE)).toBeNull()
})

it('e12_it_is_not_made_while_what_is_shared_also_goes_to_a_device_in_clear_text', () => {
  about(SEALED, ({ clearCopies, devices }) => {
    const plain: Device = { device_id: PHONE, name: 'Old', caps: [] }
    devices.setState({ me: 'me' as DeviceId, devices: [plain] })
    clearCopies.setState({ to: new Set([PHONE]) })
  })
  expect(screen.queryByText(PROMISE)).toBeNull()
})

it.each<Encryption>([{ kind: 'off' }, { kind: 'clear' }, { kind: 'insecure', isShutOut: false }])(
  'e1_the_promise_that_a_beam_is_sealed_is_not_made_where_it_is_$kind',
  (encryption) => {
    about(encryption)
    expect(screen.queryByText(PROMISE)).toBeNull()
    expect(screen.getByText(/^Nobody tracks you/)).toBeDefined()
  },
)
