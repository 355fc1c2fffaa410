// @vitest-environment jsdom
import { expect, it, vi } from 'vitest'
import { createStores } from '../stores/stores'
import { createInstallation } from './installation'

it('offers to install while the browser does, and once', async () => {
  const stores = createStores()
  const { install } = createInstallation(stores)
  const isOffered = () => stores.installation.getState().isOffered
  expect(isOffered()).toBe(false)
  const prompt = vi.fn(async () => {})
  const offer = Object.assign(new Event('beforeinstallprompt', { cancelable: true }), { prompt })

  dispatchEvent(offer)
  expect([isOffered(), offer.defaultPrevented]).toEqual([true, true])
  await install()
  await install()

  expect(isOffered()).toBe(false)
  expect(prompt).toHaveBeenCalledTimes(1)
  dispatchEvent(offer)
  dispatchEvent(new Event('appinstalled'))
  expect(isOffered()).toBe(false)
})
