// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { BeamId } from '../../protocol/bindings'
import { createStores, type Stores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { ParcelNote } from './parcel-note'

const shareParcel = vi.fn(async () => {})
const discardParcel = vi.fn(async () => {})
let stores: Stores

beforeEach(() => {
  vi.clearAllMocks()
  stores = createStores()
  stores.shareTarget.setState({ texts: ['a text'], files: [{ name: 'a.zip', size: 1200 }] }, true)
})
afterEach(cleanup)

const show = () => {
  const actions = { shareParcel, discardParcel } as Partial<Actions> as Actions
  render(
    <AppContext value={{ stores, actions }}>
      <ParcelNote />
    </AppContext>,
  )
}
const isInBeam = () => {
  const session = { beamId: 'beam' as BeamId, beamKey: null, beamName: '', expiresAt: null }
  stores.session.setState({ status: 'set', session }, true)
  stores.connection.setState({ status: 'live' }, true)
}
const button = (name: string): HTMLButtonElement => screen.getByRole('button', { name })

it('shows what waits, and leaves it to the person to share or discard it', () => {
  isInBeam()
  show()
  for (const words of ['2 things wait to be shared', 'a text', 'a.zip', '1 kB']) screen.getByText(words)
  expect(shareParcel).not.toHaveBeenCalled()
  fireEvent.click(button('Share 2 things'))
  expect(shareParcel).toHaveBeenCalledOnce()
  fireEvent.click(button('Discard'))
  expect(discardParcel).toHaveBeenCalledOnce()
})

it.each<[string, () => void, RegExp]>([
  ['without a beam', () => {}, /Make a beam or join one/],
  [
    'before the connection is there',
    () => {
      isInBeam()
      stores.connection.setState({ status: 'connecting' }, true)
    },
    /once you are connected/,
  ],
  [
    'in a beam that is only read',
    () => {
      isInBeam()
      const saved = { beam_name: 'Cabin', role: 'read', link_access: 'read', by_link: true } as const
      stores.access.setState({ kind: 'saved', saved }, true)
    },
    /cannot be shared in this beam/,
  ],
])('cannot be shared %s, but discarded', (_where, isSo, hint) => {
  isSo()
  show()
  screen.getByText(hint)
  expect(button('Share 2 things').disabled).toBe(true)
  expect(button('Discard').disabled).toBe(false)
})

it('is not there when nothing waits', () => {
  stores.shareTarget.setState({ texts: [], files: [] }, true)
  show()
  expect(screen.queryByRole('region')).toBeNull()
})
