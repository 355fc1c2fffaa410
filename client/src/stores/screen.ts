/** Whether the screen of this device is kept on. */
import { createStore } from 'zustand/vanilla'

export interface Screen {
  readonly staysOn: boolean
}

export function createScreenStore() {
  return createStore<Screen>()(() => ({ staysOn: false }))
}
