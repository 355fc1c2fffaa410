// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Device, DeviceId } from '../../protocol/bindings'
import type { BeamAccess } from '../../stores/beam-access'
import { reduceDevices } from '../../stores/devices'
import type { Encryption } from '../../stores/encryption'
import { createStores } from '../../stores/stores'
import { reduceTrust } from '../../stores/trust'
import { type Actions, AppContext } from '../actions'
import { DevicePopover } from './device-list'

const phone: Device = { device_id: 'phone' as DeviceId, name: 'Safari on iPhone', caps: [] }

beforeEach(() => {
  // jsdom has the element without its methods.
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true
  }
  HTMLDialogElement.prototype.close = () => {}
})
afterEach(cleanup)

it('equal devices have numbers, and “This device” is before the name of a person', () => {
  const laptop = (id: string, more: Partial<Device> = {}): Device => ({
    device_id: id as DeviceId,
    name: 'Chrome on Linux',
    caps: [],
    ...more,
  })
  const devices = [
    laptop('a'),
    laptop('me', { username: 'ada', first_name: 'Ada '.repeat(20), last_name: '' }),
  ]
  const stores = createStores()
  stores.devices.setState(
    (state) => ({ ...reduceDevices(state, { type: 'listed', devices }), me: 'me' as DeviceId }),
    true,
  )
  render(
    <AppContext value={{ stores, actions: {} as Actions }}>
      <DevicePopover />
    </AppContext>,
  )
  const [other, mine] = screen.getAllByRole('listitem')
  expect(other?.textContent).toBe('Chrome on Linux')
  expect(mine?.textContent).toMatch(/^Chrome on Linux 2This device · Ada/)
})

it.each<[string, BeamAccess, RegExp]>([
  ['is renewed in a saved beam', saved(), /renew it under Share in My Beams\.$/],
  ['cannot be renewed in an unsaved one, so a new beam helps', unsaved(), /make a new beam\.$/],
])('a link that others have %s: the question before a device is removed says so', (_what, access, advice) => {
  const stores = createStores()
  stores.access.setState(access, true)
  stores.devices.setState((state) => reduceDevices(state, { type: 'listed', devices: [phone] }), true)
  render(
    <AppContext value={{ stores, actions: {} as Actions }}>
      <DevicePopover />
    </AppContext>,
  )
  fireEvent.click(screen.getByRole('button', { name: 'Remove device Safari on iPhone' }))
  expect(screen.getByText(advice)).toBeDefined()
})

function saved(): BeamAccess {
  return {
    kind: 'saved',
    saved: { beam_name: 'Cabin', role: 'owner', link_access: 'write', by_link: false },
  }
}

function unsaved(): BeamAccess {
  return { kind: 'unsaved', creator: true }
}

it('renames this device in its own row, and Escape closes only the form', () => {
  const renameDevice = vi.fn()
  const stores = createStores()
  const mine: Device = { device_id: 'me' as DeviceId, name: 'Chrome on Linux', caps: [] }
  stores.devices.setState(
    (state) => ({ ...reduceDevices(state, { type: 'listed', devices: [mine] }), me: mine.device_id }),
    true,
  )
  render(
    <AppContext value={{ stores, actions: { renameDevice } as unknown as Actions }}>
      <DevicePopover />
    </AppContext>,
  )
  const onEscape = vi.fn()
  document.addEventListener('keydown', onEscape)
  const rename = () => fireEvent.click(screen.getByRole('button', { name: 'Rename this device' }))
  const field = () => screen.getByRole('textbox', { name: 'Name of this device' })
  rename()
  fireEvent.keyDown(field(), { key: 'Escape' })
  expect(screen.queryByRole('textbox')).toBeNull()
  expect(onEscape).not.toHaveBeenCalled()
  document.removeEventListener('keydown', onEscape)

  rename()
  fireEvent.change(field(), { target: { value: 'Desk' } })
  fireEvent.submit(field())
  expect(renameDevice).toHaveBeenCalledWith('Desk')
  expect(screen.queryByRole('textbox')).toBeNull()
})

it('s33_sends_a_text_to_one_device_and_offers_files_only_where_they_are_understood', () => {
  const shareText = vi.fn(() => true)
  const stores = createStores()
  const devices = [phone, { ...phone, device_id: 'desk' as DeviceId, name: 'Desk', caps: ['files' as const] }]
  stores.devices.setState((state) => reduceDevices(state, { type: 'listed', devices }), true)
  render(
    <AppContext value={{ stores, actions: { shareText } as unknown as Actions }}>
      <DevicePopover />
    </AppContext>,
  )
  fireEvent.click(screen.getByRole('button', { name: 'Send to Safari on iPhone' }))
  expect(screen.queryByRole('button', { name: 'Files' })).toBeNull()
  const field = screen.getByRole('textbox', { name: 'Message to Safari on iPhone' })
  fireEvent.change(field, { target: { value: 'for you' } })
  fireEvent.submit(field)
  expect(shareText).toHaveBeenCalledWith('for you', { to: 'phone' })
  expect(screen.queryByRole('textbox')).toBeNull()

  fireEvent.click(screen.getByRole('button', { name: 'Send to Desk' }))
  expect(screen.getByRole('button', { name: 'Files' })).toBeDefined()
})

it('e8_a_device_that_was_let_in_and_has_left_can_still_be_compared', () => {
  const confirmDevice = vi.fn()
  const stores = createStores()
  stores.encryption.setState({ kind: 'sealed', isDeposited: false }, true)
  const trust = { signs: [0, 1, 2, 3], state: 'unverified', isIn: true } as const
  stores.trust.setState(
    (state) => reduceTrust(state, { type: 'learnt', device: phone.device_id, trust }),
    true,
  )
  render(
    <AppContext value={{ stores, actions: { confirmDevice } as unknown as Actions }}>
      <DevicePopover />
    </AppContext>,
  )
  const pictures = screen.getByRole('list', { name: 'Pictures to compare' })
  expect(pictures.textContent).toContain('Dog')
  fireEvent.click(screen.getByRole('button', { name: 'They match' }))
  expect(confirmDevice).toHaveBeenCalledWith('phone', [0, 1, 2, 3])
})

describe('e8 a device of which others tell that nobody has compared it', () => {
  const promise = 'Only devices that were let in can read what is shared here.'
  const removeDevice = vi.fn()

  function list(told: readonly DeviceId[]) {
    const stores = createStores()
    const laptop: Device = { device_id: 'laptop' as DeviceId, name: 'Chrome on Linux', caps: ['e2e1'] }
    stores.encryption.setState({ kind: 'sealed', isDeposited: false }, true)
    stores.access.setState(unsaved(), true)
    stores.devices.setState((state) => reduceDevices(state, { type: 'listed', devices: [laptop] }), true)
    stores.trust.setState((state) => reduceTrust(state, { type: 'told', devices: told }), true)
    render(
      <AppContext value={{ stores, actions: { removeDevice } as unknown as Actions }}>
        <DevicePopover />
      </AppContext>,
    )
  }

  it('is listed as not verified after it has left, without pictures, and can be removed', () => {
    list([phone.device_id])
    expect(screen.getByText('Not verified')).toBeDefined()
    expect(screen.queryByText(promise)).toBeNull()
    expect(screen.queryByRole('button', { name: 'They match' })).toBeNull()
    fireEvent.click(screen.getByRole('button', { name: 'Remove' }))
    fireEvent.click(screen.getByRole('button', { name: 'Remove device' }))
    expect(removeDevice).toHaveBeenCalledWith('phone')
  })

  it('is the only reason not to say who can read what is shared', () => {
    list([])
    expect(screen.getByText(promise)).toBeDefined()
  })
})

it('e8_a_device_that_was_refused_is_listed_as_not_let_in_and_gets_nothing', () => {
  const stores = createStores()
  stores.encryption.setState({ kind: 'sealed', isDeposited: false }, true)
  const laptop: Device = { device_id: 'laptop' as DeviceId, name: 'Chrome on Linux', caps: ['e2e1'] }
  stores.devices.setState((state) => reduceDevices(state, { type: 'listed', devices: [laptop] }), true)
  const trust = { signs: [], state: 'refused', isIn: false } as const
  stores.trust.setState(
    (state) => reduceTrust(state, { type: 'learnt', device: laptop.device_id, trust }),
    true,
  )
  render(
    <AppContext value={{ stores, actions: {} as Actions }}>
      <DevicePopover />
    </AppContext>,
  )
  expect(screen.getByRole('listitem').textContent).toBe('Chrome on LinuxNot let in')
  expect(screen.queryByRole('button', { name: 'Send to Chrome on Linux' })).toBeNull()
})

describe('e12 a device that does not seal', () => {
  const old: Device = { device_id: 'old' as DeviceId, name: 'Old App', caps: ['files'] }

  function list(encryption: Encryption, isSentTo = false) {
    const sendInClear = vi.fn()
    const stores = createStores()
    stores.encryption.setState(encryption, true)
    stores.devices.setState((state) => reduceDevices(state, { type: 'listed', devices: [old] }), true)
    if (isSentTo) stores.clearCopies.setState({ to: new Set([old.device_id]) }, true)
    render(
      <AppContext value={{ stores, actions: { sendInClear } as unknown as Actions }}>
        <DevicePopover />
      </AppContext>,
    )
    return sendInClear
  }
  const sealed: Encryption = { kind: 'sealed', isDeposited: false }
  const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))

  it('is listed as not encrypted, and sent to after a person has read what that means', () => {
    const sendInClear = list(sealed)
    expect(screen.getByRole('listitem').textContent).toMatch(/Not encrypted.*the server can read all/)
    expect(screen.queryByText('Only devices that were let in can read what is shared here.')).toBeNull()
    expect(screen.queryByRole('button', { name: 'Send to Old App' })).toBeNull()
    press('Also send to this device')
    expect(sendInClear).toHaveBeenCalledWith('old', true)
  })

  it('can be sent to no longer', () => {
    const sendInClear = list(sealed, true)
    expect(screen.getByRole('button', { name: 'Send to Old App' })).toBeDefined()
    press('Stop sending to this device')
    expect(sendInClear).toHaveBeenCalledWith('old', false)
  })

  it('is a device like any other where nothing is sealed', () => {
    list({ kind: 'clear' })
    expect(screen.getByRole('listitem').textContent).toBe('Old App')
    expect(screen.getByRole('button', { name: 'Send to Old App' })).toBeDefined()
  })
})

it('e13_what_the_operator_wants_cannot_be_turned_off_here', () => {
  const stores = createStores()
  stores.encryption.setState({ kind: 'sealed', isDeposited: false }, true)
  const ask = () => screen.getByRole<HTMLInputElement>('switch', { name: /^Ask before letting devices in/ })
  const page = (
    <AppContext value={{ stores, actions: {} as Actions }}>
      <DevicePopover />
    </AppContext>
  )
  const { rerender } = render(page)
  expect([ask().checked, ask().disabled]).toEqual([false, false])
  stores.trust.setState((state) => reduceTrust(state, { type: 'required', isRequired: true }), true)
  rerender(page)
  expect([ask().checked, ask().disabled]).toEqual([true, true])
})
