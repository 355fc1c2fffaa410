/** Stores in this browser which devices are sent what in clear text (E12). */
import * as v from 'valibot'
import type { BeamId, DeviceId, ItemId } from '../protocol/bindings'
import { parseJson } from '../protocol/envelope'
import { BeamEntries } from './beam-entries'

/** The devices for which a person has chosen so. */
const choices = new BeamEntries('clear-copies')
/**
 * The copies that a device has made and that are still there. The tabs of a browser are different devices, and none is given what another
 * one has sent to one device.
 */
const made = new BeamEntries('made-copies')

const idsSchema = v.array(v.pipe(v.string(), v.uuid()))
const CHOSEN = 'yes'

/** Returns the devices for which a person has chosen so. This browser is in the beam: what is stored of it stays for another month. */
export function enterClearCopies(beam: BeamId): readonly DeviceId[] {
  choices.keep(beam)
  made.keep(beam)
  return choices.of(beam).map(([device]) => device as DeviceId)
}

export function storeChoice(beam: BeamId, device: DeviceId, isWanted: boolean): void {
  if (isWanted) choices.set(beam, device, CHOSEN)
  else choices.remove(beam, device)
}

/** Returns the copies that a device of this browser has made. */
export function readMade(beam: BeamId, me: DeviceId): readonly ItemId[] {
  const parsed = v.safeParse(idsSchema, parseJson(made.get(beam, me) ?? '[]'))
  return parsed.success ? (parsed.output as ItemId[]) : []
}

export function storeMade(beam: BeamId, me: DeviceId, ids: readonly ItemId[]): void {
  if (ids.length === 0) made.remove(beam, me)
  else made.set(beam, me, JSON.stringify(ids))
}

/** The beam has another id (H28). */
export function moveClearCopies(from: BeamId, to: BeamId): void {
  choices.move(from, to)
  made.move(from, to)
}

/** The beam has ended. */
export function forgetClearCopies(beam: BeamId): void {
  choices.forget(beam)
  made.forget(beam)
}

/** Forgets the beams in which this browser has not been for a month. */
export function sweepClearCopies(now: number): void {
  choices.sweep(now)
  made.sweep(now)
}
