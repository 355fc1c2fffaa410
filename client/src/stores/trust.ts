/** Which devices came without the link, and whether people have compared what both show (E8). */
import { createStore } from 'zustand/vanilla'
import type { DeviceId } from '../protocol/bindings'

export interface Trust {
  /** Places of the four pictures that both devices show. */
  readonly signs: readonly number[]
  readonly state: 'asking' | 'unverified' | 'verified'
}

export interface TrustState {
  /** A device that came by the link is absent: it has proved to have it. */
  readonly devices: Readonly<Record<DeviceId, Trust>>
  /** Whether the person is asked before any device is let in without the link. */
  readonly asksBefore: boolean
}

export type TrustEvent =
  /** `trust`: null for a device that needs none any more. */
  | { type: 'learnt'; device: DeviceId; trust: Trust | null }
  | { type: 'confirmed'; device: DeviceId }
  | { type: 'turned'; asksBefore: boolean }
  | { type: 'loaded'; devices: TrustState['devices'] }

export function reduceTrust(state: TrustState, event: TrustEvent): TrustState {
  switch (event.type) {
    case 'learnt': {
      const { [event.device]: _before, ...others } = state.devices
      return { ...state, devices: event.trust ? { ...others, [event.device]: event.trust } : others }
    }
    case 'confirmed': {
      const known = state.devices[event.device]
      if (!known) return state
      return { ...state, devices: { ...state.devices, [event.device]: { ...known, state: 'verified' } } }
    }
    case 'turned':
      return { ...state, asksBefore: event.asksBefore }
    case 'loaded':
      return { ...state, devices: event.devices }
  }
}

export function createTrustStore() {
  return createStore<TrustState>()(() => ({ devices: {}, asksBefore: false }))
}
