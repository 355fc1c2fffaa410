/**
 * Stores what people have compared (E8) in this browser. Each device has an entry of its own: two tabs of one beam know of different
 * ones, and one that wrote all that it knows would take away what the other has learnt since.
 */
import * as v from 'valibot'
import type { BeamId, DeviceId } from '../protocol/bindings'
import { parseJson } from '../protocol/envelope'
import { browserStorage } from '../stores/site-storage'
import type { Trust, TrustState } from '../stores/trust'

const ENTRIES = 'trust:'
/**
 * When this browser was in a beam last, in milliseconds since the Unix epoch; only of those that have entries. In the entries it would
 * have to be written again and again, over what another tab writes.
 */
const TIMES = 'trust-time:'
/** As long as the keys of the beam are kept. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000

const sign = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(63))
const storedSchema = v.object({
  signs: v.pipe(v.array(sign), v.length(4)),
  state: v.picklist(['unverified', 'verified']),
  isIn: v.boolean(),
})

/** Returns what is stored of a beam. */
export function readTrust(beam: BeamId): TrustState['devices'] {
  const devices: Record<DeviceId, Trust> = {}
  for (const [device, text] of entriesOf(beam)) {
    const parsed = v.safeParse(storedSchema, parseJson(text))
    if (parsed.success) devices[device] = parsed.output
  }
  return devices
}

/** Stores what is known of a device that is in. One that still waited for a person is not verified for a later page. */
export function storeTrust(beam: BeamId, device: DeviceId, trust: Trust): void {
  const state = trust.state === 'verified' ? 'verified' : 'unverified'
  setTime(beam)
  browserStorage.setItem(entryKey(beam, device), JSON.stringify({ ...trust, state }))
}

export function removeTrust(beam: BeamId, device: DeviceId): void {
  browserStorage.removeItem(entryKey(beam, device))
}

/** This browser is in the beam: what is stored of it stays for another month. */
export function keepTrust(beam: BeamId): void {
  if (entriesOf(beam).length > 0) setTime(beam)
}

/** The beam has another id (H28). Another tab may have moved what is stored before. */
export function moveStoredTrust(from: BeamId, to: BeamId): void {
  for (const [device, text] of entriesOf(from)) {
    setTime(to)
    browserStorage.setItem(entryKey(to, device), text)
  }
  forgetTrust(from)
}

/** The beam has ended. */
export function forgetTrust(beam: BeamId): void {
  browserStorage.removeItems(entryKey(beam, ''))
  browserStorage.removeItem(TIMES + beam)
}

/** Forgets the beams in which this browser has not been for a month. */
export function sweepTrust(now: number): void {
  for (const key of browserStorage.keys(TIMES)) {
    const isKept = now - Number(browserStorage.getItem(key)) < KEPT_MS
    if (!isKept) forgetTrust(key.slice(TIMES.length) as BeamId)
  }
}

function entriesOf(beam: BeamId): readonly (readonly [DeviceId, string])[] {
  const prefix = entryKey(beam, '')
  return browserStorage
    .keys(prefix)
    .map((key) => [key.slice(prefix.length) as DeviceId, browserStorage.getItem(key) ?? ''] as const)
}

function setTime(beam: BeamId): void {
  browserStorage.setItem(TIMES + beam, String(Date.now()))
}

function entryKey(beam: BeamId, device: DeviceId | ''): string {
  return `${ENTRIES}${beam}:${device}`
}
