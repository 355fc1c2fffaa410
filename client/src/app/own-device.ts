/** The name of this device: the one that its person gave it, for all beams, or one made from its browser. */
import type { Actions } from '../features/actions'
import { cleanDeviceName } from '../protocol/names'
import { defaultName } from '../stores/device-name'
import { browserStorage } from '../stores/site-storage'

const KEY = 'device name'

export function ownDeviceName(): string {
  return browserStorage.getItem(KEY) ?? defaultName(navigator.userAgent)
}

/** @param tell tells the current beam the new name */
export function createOwnDevice(tell: (name: string) => void): Pick<Actions, 'renameDevice'> {
  // Another tab of this browser, which is another device, has the same name.
  addEventListener('storage', ({ key }) => {
    if (key === KEY) tell(ownDeviceName())
  })
  return {
    renameDevice(typed) {
      const name = cleanDeviceName(typed)
      if (name === '') browserStorage.removeItem(KEY)
      else browserStorage.setItem(KEY, name)
      tell(ownDeviceName())
    },
  }
}
