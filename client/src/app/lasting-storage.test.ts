// @vitest-environment jsdom
import { afterEach, expect, it, vi } from 'vitest'
import type { BeamSession } from '../stores/beam-session'
import { createStores } from '../stores/stores'
import { makeStorageLast } from './lasting-storage'

afterEach(() => Reflect.deleteProperty(navigator, 'storage'))

/** A browser that tells these estimates, in which a page enters a beam twice. */
async function entered(estimate: object) {
  const persist = vi.fn(async () => false)
  const storage = { estimate: async () => estimate, persist }
  Object.defineProperty(navigator, 'storage', { value: storage, configurable: true })
  const { session } = createStores()
  makeStorageLast({ session })
  expect(persist).not.toHaveBeenCalled()
  for (const _ of ['first', 'second']) {
    session.setState({ status: 'creating' }, true)
    session.setState({ status: 'set', session: {} as BeamSession }, true)
  }
  await new Promise((done) => setTimeout(done))
  return persist
}

it('a browser that decides by itself is asked once to keep what is stored', async () => {
  expect(await entered({ quota: 1, usageDetails: {} })).toHaveBeenCalledOnce()
})

it('a browser that would ask the person is not', async () => {
  expect(await entered({ quota: 1 })).not.toHaveBeenCalled()
})
