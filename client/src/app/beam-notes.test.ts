import { afterEach, expect, it, vi } from 'vitest'
import type { BeamId } from '../protocol/bindings'
import { reduceAccount } from '../stores/account'
import { createStores } from '../stores/stores'
import { createBeamNotes } from './beam-notes'
import { createToaster } from './toaster'

afterEach(() => vi.unstubAllGlobals())

it.each([
  [500, ['Failed to load beam notes']],
  [401, []],
])('notes that cannot be loaded (%i) are told: %j', async (status, said) => {
  const body = JSON.stringify({ detail: 'Log in first.', code: 'unauthorized' })
  const asked = vi.fn(async () => new Response(body, { status }))
  vi.stubGlobal('fetch', asked)
  const stores = createStores()
  stores.account.setState((state) => reduceAccount(state, { type: 'loggedOut' }), true)
  const put = vi.fn()
  createBeamNotes('beam' as BeamId, stores, createToaster(stores.toasts), put).load()
  await vi.waitFor(() => expect(asked).toHaveBeenCalled())
  await new Promise((resolve) => setTimeout(resolve))
  expect(stores.toasts.getState().toasts.map(({ text }) => text)).toEqual(said)
  expect(put).not.toHaveBeenCalled()
})
