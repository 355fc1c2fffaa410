/** Keeps what people have compared in this browser, so that a reload does not make an unverified device a verified one. */
import * as v from 'valibot'
import type { Actions } from '../features/actions'
import type { BeamId, DeviceId, JoinPolicy } from '../protocol/bindings'
import { parseJson } from '../protocol/envelope'
import { browserStorage } from '../stores/site-storage'
import type { Stores } from '../stores/stores'
import { isSameSigns, reduceTrust, type Trust, type TrustEvent, type TrustState } from '../stores/trust'
import type { WaysIn } from './ways-in'

const TRUST_KEY = 'trust:'
const ASKS_KEY = 'ask-before'

const signs = v.pipe(v.array(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(63))), v.length(4))
const storedSchema = v.record(
  v.string(),
  v.object({ signs, state: v.picklist(['unverified', 'verified']), isIn: v.boolean() }),
)

type Watched = Pick<Stores, 'trust'>

/** Shows what was kept of a beam. */
export function loadTrust(stores: Watched, beam: BeamId): void {
  const parsed = v.safeParse(storedSchema, parseJson(browserStorage.getItem(TRUST_KEY + beam) ?? '{}'))
  tell(stores, { type: 'loaded', devices: parsed.success ? (parsed.output as TrustState['devices']) : {} })
  tell(stores, { type: 'turned', asksBefore: browserStorage.getItem(ASKS_KEY) === 'yes' })
}

export function learnTrust(stores: Watched, beam: BeamId, device: DeviceId, trust: Trust | null): void {
  tell(stores, { type: 'learnt', device, trust })
  keep(stores, beam)
}

/** The devices were removed: nothing has to be compared with them any more. */
export function learnRemoved(stores: Watched, beam: BeamId, devices: readonly DeviceId[]): void {
  const before = stores.trust.getState()
  tell(stores, { type: 'removed', devices })
  if (stores.trust.getState() !== before) keep(stores, beam)
}

/** The devices are told to be not compared. It is not kept here, because it is kept with the keys. */
export function learnUnverified(stores: Watched, devices: readonly DeviceId[]): void {
  tell(stores, { type: 'told', devices })
}

/** The device has let this one in. */
export function learnIn(stores: Watched, beam: BeamId, device: DeviceId): void {
  tell(stores, { type: 'in', device })
  keep(stores, beam)
}

/** @param policy what the operator of the server wants (E13); absent for the usual */
export function learnPolicy(stores: Watched, policy: JoinPolicy | undefined): void {
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
      if (state.status === 'set') keep(stores, state.session.beamId)
    },
    refuseDevice: (device) => ways()?.refuse(device),
    askBefore(asksBefore) {
      tell(stores, { type: 'turned', asksBefore })
      if (asksBefore) browserStorage.setItem(ASKS_KEY, 'yes')
      else browserStorage.removeItem(ASKS_KEY)
    },
  }
}

function keep({ trust }: Watched, beam: BeamId): void {
  const { devices } = trust.getState()
  const lasting = Object.entries(devices)
    .filter(([, { isIn, signs }]) => isIn && signs.length > 0)
    .map(([device, one]) => [device, one.state === 'asking' ? { ...one, state: 'unverified' } : one])
  if (lasting.length === 0) browserStorage.removeItem(TRUST_KEY + beam)
  else browserStorage.setItem(TRUST_KEY + beam, JSON.stringify(Object.fromEntries(lasting)))
}

function tell({ trust }: Watched, event: TrustEvent): void {
  trust.setState((state) => reduceTrust(state, event), true)
}
