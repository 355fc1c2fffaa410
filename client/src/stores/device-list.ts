/** Whether the list of devices is open, which the pill shows. */
import { createStore } from 'zustand/vanilla'
import type { DeviceId } from '../protocol/bindings'

export type DeviceListState =
  | { readonly kind: 'closed' }
  /** `at`: the device that the person wants to see; null for no certain one. */
  | { readonly kind: 'open'; readonly at: DeviceId | null }

export function createDeviceListStore() {
  return createStore<DeviceListState>()(() => ({ kind: 'closed' }))
}
