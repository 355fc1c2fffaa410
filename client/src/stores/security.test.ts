import { describe, expect, test } from 'vitest'
import type { Cap, Device, DeviceId } from '../protocol/bindings'
import type { Encryption } from './encryption'
import { type Security, securityOf } from './security'
import type { Trust } from './trust'

const device = (id: string, caps: readonly Cap[] = ['e2e1', 'files']): Device => ({
  device_id: id as DeviceId,
  name: id,
  caps: [...caps],
})

const laptop = device('laptop')
const phone = device('phone')
const plain = device('plain', ['files'])
const sealed: Encryption = { kind: 'sealed', isDeposited: false }
const deposited: Encryption = { kind: 'sealed', isDeposited: true }
const trust = (state: Trust['state']): Trust => ({ signs: [1, 2, 3, 4], state, isIn: true })
const unverified = { phone: trust('unverified') }

interface State {
  encryption: Encryption
  devices?: readonly Device[]
  trusted?: Record<string, Trust>
  copiesTo?: readonly string[]
}

const CASES: readonly [name: string, state: State, expected: Security][] = [
  ['it is switched off', { encryption: { kind: 'off' } }, { is: 'unsaid' }],
  ['the keys are looked for', { encryption: { kind: 'unknown', isSuspected: false } }, { is: 'unsaid' }],
  ['no device seals', { encryption: { kind: 'clear' } }, { is: 'clear' }],
  ['the page came without https', { encryption: { kind: 'insecure', isShutOut: false } }, { is: 'clear' }],
  [
    'this device waits for another one',
    { encryption: { kind: 'waiting', isLinkOld: false } },
    { is: 'waiting', isLinkOld: false },
  ],
  [
    'the link is not valid any more',
    { encryption: { kind: 'waiting', isLinkOld: true } },
    { is: 'waiting', isLinkOld: true },
  ],
  [
    'this device came without the link',
    { encryption: { kind: 'locked', isSuspected: true, mayShareClear: false } },
    { is: 'waiting', isLinkOld: false },
  ],
  ['no other device is here', { encryption: sealed }, { is: 'sealed', devices: 1 }],
  ['the devices are not listed yet', { encryption: sealed, devices: [] }, { is: 'sealed', devices: 1 }],
  [
    'every other device came by the link',
    { encryption: sealed, devices: [laptop, phone] },
    { is: 'sealed', devices: 2 },
  ],
  [
    'every other device was compared',
    { encryption: sealed, devices: [laptop, phone], trusted: { phone: trust('verified') } },
    { is: 'sealed', devices: 2 },
  ],
  [
    'one was not compared',
    { encryption: sealed, devices: [laptop, phone], trusted: unverified },
    { is: 'unverified' },
  ],
  [
    'one was not let in',
    {
      encryption: sealed,
      devices: [laptop, phone],
      trusted: { phone: { signs: [], state: 'refused', isIn: false } },
    },
    { is: 'sealed', devices: 1 },
  ],
  ['one was not compared and left', { encryption: sealed, trusted: unverified }, { is: 'unverified' }],
  [
    'one asks to be let in',
    { encryption: sealed, devices: [laptop, phone], trusted: { phone: trust('asking') } },
    { is: 'unverified' },
  ],
  [
    'a plain device is here, which gets nothing',
    { encryption: sealed, devices: [laptop, phone, plain] },
    { is: 'sealed', devices: 2 },
  ],
  [
    'a plain device gets everything in clear text',
    { encryption: sealed, devices: [laptop, phone, plain], copiesTo: ['plain'] },
    { is: 'clear' },
  ],
  [
    'clear text is worse than a device that was not compared',
    { encryption: sealed, devices: [laptop, phone, plain], copiesTo: ['plain'], trusted: unverified },
    { is: 'clear' },
  ],
  [
    'the plain device that got clear text has left',
    { encryption: sealed, devices: [laptop, phone], copiesTo: ['plain'] },
    { is: 'sealed', devices: 2 },
  ],
  [
    'the device that got clear text seals now',
    { encryption: sealed, devices: [laptop, phone], copiesTo: ['phone'] },
    { is: 'sealed', devices: 2 },
  ],
  [
    'another plain device has come',
    { encryption: sealed, devices: [laptop, device('other', [])], copiesTo: ['plain'] },
    { is: 'sealed', devices: 1 },
  ],
  ['the server has the keys', { encryption: deposited, devices: [laptop, phone] }, { is: 'unsaid' }],
  [
    'the server has the keys and a device was not compared',
    { encryption: deposited, devices: [laptop, phone], trusted: unverified },
    { is: 'unverified' },
  ],
  [
    'the server has the keys and a plain device gets clear text',
    { encryption: deposited, devices: [laptop, plain], copiesTo: ['plain'] },
    { is: 'clear' },
  ],
]

describe('what is said of the beam', () => {
  test.each(CASES)(
    '%s',
    (_name, { encryption, devices = [laptop], trusted = {}, copiesTo = [] }, expected) => {
      const known = {
        encryption,
        trust: { devices: trusted },
        devices: { me: laptop.device_id, devices },
        clearCopies: { to: new Set(copiesTo as DeviceId[]) },
      }
      expect(securityOf(known)).toEqual(expected)
    },
  )
})
