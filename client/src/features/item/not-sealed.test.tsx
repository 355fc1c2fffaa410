// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { Encryption } from '../../stores/encryption'
import { createStores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { NotSealed } from './not-sealed'

afterEach(cleanup)

function isMarked(encryption: Encryption, isClear: boolean): boolean {
  const stores = createStores()
  stores.encryption.setState(encryption, true)
  render(
    <AppContext value={{ stores, actions: {} as Actions }}>
      <NotSealed items={[isClear ? { isClear } : {}]} />
    </AppContext>,
  )
  return screen.queryByText('Not encrypted') !== null
}

it.each<Encryption>([
  { kind: 'sealed', isDeposited: false },
  { kind: 'waiting', isLinkOld: false },
  { kind: 'locked', isSuspected: true, mayShareClear: false },
  // Else all marks would come at once, and move the notes, when the keys are found.
  { kind: 'unknown', isSuspected: true },
])('e12 what came in clear text is marked in a beam that is $kind', (encryption) => {
  expect(isMarked(encryption, true)).toBe(true)
  cleanup()
  expect(isMarked(encryption, false)).toBe(false)
})

it('e12 nothing is marked in a beam in clear text, which is said of the whole, nor in one of which nothing is known', () => {
  expect(isMarked({ kind: 'clear' }, true)).toBe(false)
  expect(isMarked({ kind: 'locked', isSuspected: false, mayShareClear: false }, true)).toBe(false)
  expect(isMarked({ kind: 'unknown', isSuspected: false }, true)).toBe(false)
})
