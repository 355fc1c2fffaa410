/** Stores what people have compared (E8) in this browser. */
import * as v from 'valibot'
import type { BeamId, DeviceId } from '../protocol/bindings'
import { parseJson } from '../protocol/envelope'
import type { Trust, TrustState } from '../stores/trust'
import { comparedDevices } from './beam-entries'

const sign = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(63))
const storedSchema = v.object({
  signs: v.pipe(v.array(sign), v.length(4)),
  state: v.picklist(['unverified', 'verified']),
  isIn: v.boolean(),
})

/** Returns what is stored of a beam. */
export function readTrust(beam: BeamId): TrustState['devices'] {
  const devices: Record<DeviceId, Trust> = {}
  for (const [device, text] of comparedDevices.of(beam)) {
    const parsed = v.safeParse(storedSchema, parseJson(text))
    if (parsed.success) devices[device as DeviceId] = parsed.output
  }
  return devices
}

/** Stores what is known of a device that is in. One that still waited for a person is not verified for a later page. */
export function storeTrust(beam: BeamId, device: DeviceId, trust: Trust): void {
  const state = trust.state === 'verified' ? 'verified' : 'unverified'
  comparedDevices.set(beam, device, JSON.stringify({ ...trust, state }))
}

export function removeTrust(beam: BeamId, device: DeviceId): void {
  comparedDevices.remove(beam, device)
}

/** This browser is in the beam: what is stored of it stays for another month. */
export function keepTrust(beam: BeamId): void {
  comparedDevices.keep(beam)
}
