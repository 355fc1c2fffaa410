/** What this device has to spend on its transfers. */
import { createStore } from 'zustand/vanilla'
import type { Power } from '../protocol/power'

/** What holds until the device has told. */
const UNKNOWN: Power = { savesData: false, isCharging: null, isTouched: false }

export function createPowerStore() {
  return createStore<Power>()(() => UNKNOWN)
}
