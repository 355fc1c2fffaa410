/**
 * Tells what the device has to spend: whether it charges, saves data, or is worked with a finger. Only Chromium tells
 * the first two, and the first one on https and localhost alone.
 */
import type { Power } from '../protocol/power'

/** Network Information API, section 3 (`saveData` is that of the Save Data API). The DOM types lack it. */
interface Connection extends EventTarget {
  readonly saveData?: boolean
}

/** Battery Status API, section 6. The DOM types lack it. */
interface Battery extends EventTarget {
  readonly charging: boolean
}

interface PowerNavigator {
  readonly connection?: Connection
  getBattery?(): Promise<Battery>
}

/** Calls back with what holds now, and with each change. Call it once. */
export function followPower(tell: (power: Power) => void): void {
  const { connection } = navigator as PowerNavigator
  const touched = matchMedia('(pointer: coarse)')
  let battery: Battery | null = null
  const look = () =>
    tell({
      savesData: connection?.saveData === true,
      isCharging: battery?.charging ?? null,
      isTouched: touched.matches,
    })
  look()
  connection?.addEventListener('change', look)
  touched.addEventListener('change', look)
  void batteryOf(navigator as PowerNavigator).then((found) => {
    if (!found) return
    battery = found
    found.addEventListener('chargingchange', look)
    look()
  })
}

/** Null where there is none, or where the page may not ask. */
async function batteryOf(device: PowerNavigator): Promise<Battery | null> {
  try {
    return (await device.getBattery?.()) ?? null
  } catch {
    return null
  }
}
