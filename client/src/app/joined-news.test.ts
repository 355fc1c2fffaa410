import { beforeEach, expect, it } from 'vitest'
import type { BeamId } from '../protocol/bindings'
import type { Encryption } from '../stores/encryption'
import { createStores, type Stores } from '../stores/stores'
import { joinedSession } from './current-beam'
import { tellJoined } from './joined-news'
import { createToaster } from './toaster'

const BEAM = '0b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
const OTHER = '1b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
const JOINED = ['Joined Beam successfully']
const sealed: Encryption = { kind: 'sealed', isDeposited: false }

let stores: Stores

beforeEach(() => {
  stores = createStores()
  enters(BEAM)
})

const enters = (id: BeamId) => stores.session.setState({ status: 'set', session: joinedSession(id) }, true)
const is = (encryption: Encryption) => stores.encryption.setState(encryption, true)
const joins = () => tellJoined(stores, createToaster(stores.toasts))
const toasts = () => stores.toasts.getState().toasts.map(({ text }) => text)

it.each<[string, Encryption]>([
  ['waits for another device', { kind: 'waiting', isLinkOld: false }],
  ['has a link that is not valid any more', { kind: 'waiting', isLinkOld: true }],
  ['waits for a person', { kind: 'locked', isSuspected: true, mayShareClear: false }],
])('e8_who_%s_has_joined_once_it_is_in', (_what, outside) => {
  is({ kind: 'unknown', isSuspected: false })
  joins()
  is(outside)
  expect(toasts()).toEqual([])
  is(sealed)
  expect(toasts()).toEqual(JOINED)
})

it.each<[string, Encryption]>([
  ['no device seals', { kind: 'clear' }],
  ['this page does not', { kind: 'off' }],
  ['this page cannot', { kind: 'insecure', isShutOut: false }],
  ['this device is in already', sealed],
])('where %s it has joined at once', (_what, encryption) => {
  is(encryption)
  joins()
  expect(toasts()).toEqual(JOINED)
})

it('who goes to another beam meanwhile has not joined the first', () => {
  is({ kind: 'unknown', isSuspected: false })
  joins()
  enters(OTHER)
  is(sealed)
  enters(BEAM)
  is({ kind: 'clear' })
  expect(toasts()).toEqual([])
})

it('who asks to join again while this device waits has joined once', () => {
  is({ kind: 'unknown', isSuspected: false })
  joins()
  joins()
  is(sealed)
  expect(toasts()).toEqual(JOINED)
})
