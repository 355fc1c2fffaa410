/** Keeps what people have compared in this browser, so that a reload does not make an unverified device a verified one. */
import type { Actions } from '../features/actions'
import type { BeamId, DeviceId, JoinPolicy } from '../protocol/bindings'
import { browserStorage } from '../stores/site-storage'
import type { Stores } from '../stores/stores'
import {
  isSameSigns,
  letsNobodyInUnasked,
  reduceTrust,
  type Trust,
  type TrustEvent,
  type TurnedAway,
} from '../stores/trust'
import { keepTrust, readTrust, removeTrust, storeTrust } from './trust-storage'
import type { WaysIn } from './ways-in'

const ASKS_KEY = 'ask-before'

type Watched = Pick<Stores, 'trust'>

/** Shows what was kept of a beam. */
export function loadTrust(stores: Watched, beam: BeamId): void {
  tell(stores, { type: 'loaded', devices: readTrust(beam) })
}

/** Shows whether the person is asked before devices are let in, also when that is turned in another tab. */
export function keepAsking(stores: Watched): void {
  loadAsking(stores)
  addEventListener('storage', ({ key }) => {
    if (key === ASKS_KEY || key === null) loadAsking(stores)
  })
}

/** Whether a person lets in each device without the link, as it is at the moment: another tab may have been told so just now. */
export function asksBefore(stores: Watched): boolean {
  loadAsking(stores)
  return letsNobodyInUnasked(stores.trust.getState())
}

function loadAsking(stores: Watched): void {
  tell(stores, { type: 'turned', asksBefore: browserStorage.getItem(ASKS_KEY) === 'yes' })
}

export function learnTrust(stores: Watched, beam: BeamId, device: DeviceId, trust: Trust | null): void {
  tell(stores, { type: 'learnt', device, trust })
  store(stores, beam, device)
}

/**
 * The devices were removed, and this one has changed the keys: nothing has to be compared with them any more. That others have done so
 * counts for none of those with which this device has something to compare: who was let in could have told it.
 */
export function learnShutOut(stores: Watched, beam: BeamId, devices: readonly DeviceId[]): void {
  const before = stores.trust.getState()
  tell(stores, { type: 'shutOut', devices })
  if (stores.trust.getState() === before) return
  for (const device of devices) removeTrust(beam, device)
}

/** The beam has another id (H28), to which what is stored of it was moved. */
export function followTrust(stores: Watched, to: BeamId): void {
  // Another tab may have moved it before, and have learnt more.
  tell(stores, { type: 'loaded', devices: { ...readTrust(to), ...stores.trust.getState().devices } })
}

/** The devices are told to be not compared. It is not kept here, because it is kept with the keys. */
export function learnUnverified(stores: Watched, devices: readonly DeviceId[]): void {
  tell(stores, { type: 'told', devices })
}

/** The device has let this one in, and both have shown `signs`. */
export function learnIn(stores: Watched, beam: BeamId, device: DeviceId, signs: readonly number[]): void {
  tell(stores, { type: 'in', device, signs })
  store(stores, beam, device)
}

/** @param why null where the device turns this one away no more */
export function learnTurnedAway(stores: Watched, device: DeviceId, why: TurnedAway | null): void {
  tell(stores, { type: 'turnedAway', device, why })
}

/**
 * This page is in the beam.
 * @param policy what the operator of the server wants (E13); absent for the usual
 */
export function learnWelcome(stores: Watched, beam: BeamId, policy: JoinPolicy | undefined): void {
  keepTrust(beam)
  tell(stores, { type: 'required', isRequired: policy === 'verify' })
}

/** @param ways returns the ways into the current beam; null while there are none */
export function createTrust(
  stores: Pick<Stores, 'trust' | 'session'>,
  ways: () => WaysIn | null,
): Pick<Actions, 'confirmDevice' | 'refuseDevice' | 'askBefore'> {
  return {
    confirmDevice(device, signs) {
      if (ways()?.confirm(device, signs)) return
      if (isSameSigns(stores.trust.getState().devices[device]?.signs ?? [], signs)) ways()?.compared(device)
      tell(stores, { type: 'confirmed', device, signs })
      const { session } = stores
      const state = session.getState()
      if (state.status === 'set') store(stores, state.session.beamId, device)
    },
    refuseDevice: (device) => ways()?.refuse(device),
    askBefore(asksBefore) {
      tell(stores, { type: 'turned', asksBefore })
      if (asksBefore) browserStorage.setItem(ASKS_KEY, 'yes')
      else browserStorage.removeItem(ASKS_KEY)
    },
  }
}

/** Stores what is known of a device that is in, where there is something to compare. Of others the keys tell. */
function store({ trust }: Watched, beam: BeamId, device: DeviceId): void {
  const known = trust.getState().devices[device]
  if (known?.isIn && known.signs.length > 0) storeTrust(beam, device, known)
}

function tell({ trust }: Watched, event: TrustEvent): void {
  trust.setState((state) => reduceTrust(state, event), true)
}
