import { expect, it } from 'vitest'
import type { DeviceId, ItemId } from '../protocol/bindings'
import { DIRECT } from '../protocol/way'
import { isAnyMoving } from '../stores/losses'
import type { Transfer } from '../stores/transfers'

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
