// @vitest-environment jsdom
import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { BeamId, DeviceId } from '../../protocol/bindings'
import { createStores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { NobodyYet } from './nobody-yet'

afterEach(cleanup)

it('tells that nobody is here, unless the beam was forgotten', () => {
  const stores = createStores()
  const session = { beamId: 'b' as BeamId, beamKey: null, beamName: '', expiresAt: null }
  stores.session.setState({ status: 'set', session }, true)
  stores.connection.setState({ status: 'live' }, true)
  stores.access.setState({ kind: 'unsaved', creator: false }, true)
  stores.devices.setState({ devices: [{ device_id: 'me' as DeviceId, name: 'me', caps: [] }] })
  render(
    <AppContext value={{ stores, actions: {} as Actions }}>
      <NobodyYet />
    </AppContext>,
  )
  expect(screen.queryByRole('status')?.textContent).toContain('Nobody is here yet')
  act(() => stores.keeping.setState({ isForgotten: true }))
  expect(screen.queryByRole('status')).toBeNull()
})
