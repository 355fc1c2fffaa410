import { afterEach, expect, it, vi } from 'vitest'
import { mostConnections } from '../protocol/bundle'
import type { Power } from '../protocol/power'
import { followPower } from './power'

afterEach(() => vi.unstubAllGlobals())

class Told extends EventTarget {
  charging = false
  saveData = false
  matches = false

  becomes(values: Partial<Pick<Told, 'charging' | 'saveData' | 'matches'>>): void {
    Object.assign(this, values)
    this.dispatchEvent(new Event('change'))
    this.dispatchEvent(new Event('chargingchange'))
  }
}

function device(navigator: object, isTouched: boolean) {
  const pointer = new Told()
  pointer.matches = isTouched
  vi.stubGlobal('navigator', navigator)
  vi.stubGlobal('matchMedia', () => pointer)
  const told: Power[] = []
  followPower((power) => told.push(power))
  return { pointer, last: () => told.at(-1) }
}

const settled = () => new Promise((resolve) => setTimeout(resolve))

it('l6 a charger that is plugged in or out counts at once', async () => {
  const battery = new Told()
  const { last } = device({ getBattery: async () => battery }, true)
  await settled()
  expect(last()).toEqual({ savesData: false, isCharging: false, isTouched: true })
  battery.becomes({ charging: true })
  expect(last()?.isCharging).toBe(true)
  battery.becomes({ charging: false })
  expect(last()?.isCharging).toBe(false)
})

it('l6 saving data counts at once', () => {
  const connection = new Told()
  const { last } = device({ connection }, false)
  expect(last()?.savesData).toBe(false)
  connection.becomes({ saveData: true })
  expect(last()?.savesData).toBe(true)
})

it('l6 a phone whose browser tells nothing, or refuses to, counts as on its battery', async () => {
  const told = [{}, { getBattery: () => Promise.reject(new Error('NotAllowedError')) }].map((browser) =>
    device(browser, true),
  )
  await settled()
  for (const { last } of told) {
    expect(last()).toEqual({ savesData: false, isCharging: null, isTouched: true })
    expect(mostConnections(last() as Power)).toBe(4)
  }
})

it('l6 a tablet that gets a mouse is no phone any more', () => {
  const { pointer, last } = device({}, true)
  pointer.becomes({ matches: false })
  expect(last()?.isTouched).toBe(false)
})
