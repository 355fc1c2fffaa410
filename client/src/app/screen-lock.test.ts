// @vitest-environment jsdom
import { afterEach, expect, it, vi } from 'vitest'
import type { DeviceId, ItemId } from '../protocol/bindings'
import { DIRECT } from '../protocol/way'
import { isAnyMoving } from '../stores/losses'
import { createStores } from '../stores/stores'
import type { Transfer } from '../stores/transfers'
import { keepScreenAwake } from './screen-lock'

const only = (transfer: Transfer) => ({ transfers: { ['a' as ItemId]: transfer } })
const phone = 'phone' as DeviceId
const moving = { status: 'moving', bytesPerSecond: 1, way: DIRECT } as const

it.each<[string, Transfer]>([
  ['comes', { role: 'receiving', state: { ...moving, received: 1 } }],
  ['goes to a device', { role: 'sending', url: '', to: { [phone]: { ...moving, sent: 1 } } }],
  ['goes to the server', { role: 'storing', url: '', state: { ...moving, sent: 1 } }],
])('a file that %s moves', (_how, transfer) => expect(isAnyMoving(only(transfer))).toBe(true))

it.each<[string, Transfer]>([
  ['is offered', { role: 'receiving', state: { status: 'offered' } }],
  ['is parked', { role: 'sending', url: '', to: { [phone]: { status: 'parked', sent: 1 } } }],
  ['is asked for by nobody', { role: 'sending', url: '', to: {} }],
  ['has arrived', { role: 'storing', url: '', state: { status: 'done' } }],
])('a file that %s does not', (_how, transfer) => expect(isAnyMoving(only(transfer))).toBe(false))

afterEach(() => Reflect.deleteProperty(navigator, 'wakeLock'))

/** A browser whose lock of the screen is given, or refused. */
function browser(gives: boolean) {
  const held = Object.assign(new EventTarget(), { release: vi.fn() })
  let isGiven = gives
  const request = vi.fn(async () => {
    if (isGiven) return held
    throw new DOMException('The battery is low.', 'NotAllowedError')
  })
  Object.defineProperty(navigator, 'wakeLock', { value: { request }, configurable: true })
  const stores = createStores()
  keepScreenAwake(stores)
  const transfer = (one: Transfer) => stores.transfers.setState((state) => ({ ...state, ...only(one) }), true)
  const refuses = (isRefused: boolean) => {
    isGiven = !isRefused
  }
  return { stores, held, request, refuses, transfer, staysOn: () => stores.screen.getState().staysOn }
}

it('the screen stays on while a file moves, until the browser lets it sleep', async () => {
  const { held, transfer, staysOn } = browser(true)
  expect(staysOn()).toBe(false)
  transfer({ role: 'receiving', state: { ...moving, received: 1 } })
  await vi.waitFor(() => expect(staysOn()).toBe(true))
  held.dispatchEvent(new Event('release'))
  expect(staysOn()).toBe(false)
})

it('the screen may sleep once nothing moves', async () => {
  const { held, transfer, staysOn } = browser(true)
  transfer({ role: 'receiving', state: { ...moving, received: 1 } })
  await vi.waitFor(() => expect(staysOn()).toBe(true))
  transfer({ role: 'storing', url: '', state: { status: 'done' } })
  expect(staysOn()).toBe(false)
  await vi.waitFor(() => expect(held.release).toHaveBeenCalledOnce())
})

it('nobody is told that the screen stays on where the browser refuses', async () => {
  const { transfer, staysOn } = browser(false)
  transfer({ role: 'receiving', state: { ...moving, received: 1 } })
  await new Promise((resolve) => setTimeout(resolve))
  expect(staysOn()).toBe(false)
})

it('a lock that was refused is asked for again when the page is shown again', async () => {
  const { request, refuses, transfer, staysOn } = browser(false)
  transfer({ role: 'receiving', state: { ...moving, received: 1 } })
  await vi.waitFor(() => expect(request).toHaveBeenCalledOnce())
  await request.mock.results[0]?.value.catch(() => {})
  refuses(false)
  document.dispatchEvent(new Event('visibilitychange'))
  await vi.waitFor(() => expect(staysOn()).toBe(true))
})
