/** Which devices came without the link, and whether people have compared what both show (E8). */
import { createStore } from 'zustand/vanilla'
import type { DeviceId } from '../protocol/bindings'

export interface Trust {
  /** Places of the four pictures that both devices show; none where only others could compare that device. */
  readonly signs: readonly number[]
  /** `refused`: the person here did not let it in. It may still be in the list of devices. */
  readonly state: 'asking' | 'refused' | 'unverified' | 'verified'
  /** Whether one of the two has let the other in. Then only a person makes it verified. */
  readonly isIn: boolean
}

/** Why a device does not compare itself with this one for now. */
export type TurnedAway =
  /** Its person has refused this one. */
  | { readonly why: 'person' }
  /** It was asked too often. `until`: when this one asks it again, in milliseconds since the Unix epoch. */
  | { readonly why: 'locked'; readonly until: number }

export interface TrustState {
  /** A device that came by the link is absent: it has proved to have it. */
  readonly devices: Readonly<Record<DeviceId, Trust>>
  /** The devices that have turned this one away. */
  readonly turnedAway: Readonly<Record<DeviceId, TurnedAway>>
  /** Whether the person is asked before any device is let in without the link. */
  readonly asksBefore: boolean
  /** Whether the operator of the server wants the same of everybody (E13). */
  readonly isRequired: boolean
}

/** Whether a person lets in each device without the link. What the server says only adds to what the person has chosen. */
export function letsNobodyInUnasked({ asksBefore, isRequired }: TrustState): boolean {
  return asksBefore || isRequired
}

export type TrustEvent =
  /** `trust`: null for a device that needs none any more. */
  | { type: 'learnt'; device: DeviceId; trust: Trust | null }
  /** `why`: null once this device begins again with it, or it has left. */
  | { type: 'turnedAway'; device: DeviceId; why: TurnedAway | null }
  /** The device has let this one in, and both have shown `signs`. */
  | { type: 'in'; device: DeviceId; signs: readonly number[] }
  /** `signs`: what the person has compared. */
  | { type: 'confirmed'; device: DeviceId; signs: readonly number[] }
  /** They have none of the newest keys, which this device has made. */
  | { type: 'shutOut'; devices: readonly DeviceId[] }
  /** All other devices that nobody has compared, as the devices of the beam tell each other. */
  | { type: 'told'; devices: readonly DeviceId[] }
  | { type: 'turned'; asksBefore: boolean }
  | { type: 'required'; isRequired: boolean }
  | { type: 'loaded'; devices: TrustState['devices'] }

export function reduceTrust(state: TrustState, event: TrustEvent): TrustState {
  switch (event.type) {
    case 'learnt': {
      const { [event.device]: before, ...others } = state.devices
      const trust = learnt(before, event.trust)
      return { ...state, devices: trust ? { ...others, [event.device]: trust } : others }
    }
    case 'turnedAway':
      return withTurnedAway(state, event.device, event.why)
    case 'in':
      return { ...state, devices: { ...state.devices, [event.device]: letInBy(state, event) } }
    case 'confirmed': {
      const known = state.devices[event.device]
      if (!known || !isSameSigns(known.signs, event.signs)) return state
      return { ...state, devices: { ...state.devices, [event.device]: { ...known, state: 'verified' } } }
    }
    case 'shutOut': {
      const { devices } = event
      const kept = Object.entries(state.devices).filter(([device]) => !devices.includes(device as DeviceId))
      return kept.length === Object.keys(state.devices).length
        ? state
        : { ...state, devices: Object.fromEntries(kept) }
    }
    case 'told':
      return withTold(state, event.devices)
    case 'turned':
      return { ...state, asksBefore: event.asksBefore }
    case 'required':
      return { ...state, isRequired: event.isRequired }
    case 'loaded':
      return { ...state, devices: event.devices, turnedAway: {} }
  }
}

/** What a person has compared before the device has let this one in counts, where it was this. */
function letInBy({ devices }: TrustState, { device, signs }: Extract<TrustEvent, { type: 'in' }>): Trust {
  const known = devices[device]
  const isVerified = known?.state === 'verified' && isSameSigns(known.signs, signs)
  return { signs, state: isVerified ? 'verified' : 'unverified', isIn: true }
}

function withTurnedAway(state: TrustState, device: DeviceId, why: TurnedAway | null): TrustState {
  const { [device]: before, ...others } = state.turnedAway
  if (!before && !why) return state
  return { ...state, turnedAway: why ? { ...others, [device]: why } : others }
}

/** What this device knows of one itself counts before what it is told; of one that it has refused, that others have let it in. */
function withTold(state: TrustState, told: readonly DeviceId[]): TrustState {
  const known = Object.entries(state.devices)
  const own = known.filter(([device, { signs, state }]) => {
    const isTold = told.includes(device as DeviceId)
    return state === 'refused' ? !isTold : signs.length > 0 || isTold
  })
  const news = told.filter((device) => !own.some(([id]) => id === device))
  if (news.length === 0 && own.length === known.length) return state
  const unverified: Trust = { signs: [], state: 'unverified', isIn: true }
  const added = news.map((device) => [device, unverified] as const)
  return { ...state, devices: Object.fromEntries([...own, ...added]) }
}

/** Whether nobody has let a device in, as far as this one knows. */
export function isOutside({ devices }: Pick<TrustState, 'devices'>, device: DeviceId): boolean {
  const state = devices[device]?.state
  return state === 'asking' || state === 'refused'
}

export function isSameSigns(one: readonly number[], other: readonly number[]): boolean {
  return one.join() === other.join()
}

/** What a device that is in says later takes nothing back: the server can speak in its name. */
function learnt(before: Trust | undefined, trust: Trust | null): Trust | null {
  if (!before?.isIn) return trust
  if (trust === null || trust.state === 'refused')
    return before.state === 'asking' ? { ...before, state: 'unverified' } : before
  return { ...trust, isIn: true }
}

export function createTrustStore() {
  return createStore<TrustState>()(() => ({
    devices: {},
    turnedAway: {},
    asksBefore: false,
    isRequired: false,
  }))
}
