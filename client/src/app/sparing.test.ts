import { afterEach, expect, it, vi } from 'vitest'
import { createStores } from '../stores/stores'
import type { EngineCommand } from '../transport/engine-messages'
import { spareConnections } from './sparing'

afterEach(() => vi.unstubAllGlobals())

it('l6 a charger that is plugged in lets bundles grow, in the engine and in what is offered', async () => {
  const battery = Object.assign(new EventTarget(), { charging: false })
  vi.stubGlobal('navigator', { getBattery: async () => battery })
  vi.stubGlobal('matchMedia', () => Object.assign(new EventTarget(), { matches: true }))
  const stores = createStores()
  const told: EngineCommand[] = []
  const most: number[] = []
  spareConnections(stores, { tell: (command) => told.push(command) }, () => ({
    setMost: (connections) => most.push(connections),
  }))
  await new Promise((resolve) => setTimeout(resolve))
  battery.charging = true
  battery.dispatchEvent(new Event('chargingchange'))
  expect(most).toEqual([4, 4, 16])
  expect(told.at(-1)).toEqual({ do: 'most', connections: 16 })
  expect(stores.power.getState().isCharging).toBe(true)
})
