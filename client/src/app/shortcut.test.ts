// @vitest-environment jsdom
import { beforeEach, expect, it } from 'vitest'
import { createStores, type Stores } from '../stores/stores'
import { takeShortcut } from './shortcut'

let stores: Stores

beforeEach(() => {
  stores = createStores()
})

it.each([
  ['/?do=new', true, null],
  ['/?do=join', false, 'join'],
  ['/?do=scan', false, 'scan'],
  ['/?do=delete', false, null],
  ['/', false, null],
] as const)('opens what the menu of the app names (%s)', (address, isNew, opens) => {
  history.replaceState(null, '', address)
  expect(takeShortcut(stores)).toBe(isNew)
  expect(stores.shortcut.getState().opens).toBe(opens)
  expect(location.search).toBe('')
})

it('leaves the rest of the address as it is', () => {
  history.replaceState(null, '', '/space?do=join&shared=1#a')
  takeShortcut(stores)
  expect(location.pathname + location.search + location.hash).toBe('/space?shared=1#a')
})
