/** Stores in this browser which devices are sent what in clear text (E12). */
import * as v from 'valibot'
import type { BeamId, DeviceId, ItemId } from '../protocol/bindings'
import { parseJson } from '../protocol/envelope'
import { clearChoices, clearCopies } from './beam-entries'

const idsSchema = v.array(v.pipe(v.string(), v.uuid()))
const CHOSEN = 'yes'

/** Returns the devices for which a person has chosen so. This browser is in the beam: what is stored of it stays for another month. */
export function enterClearCopies(beam: BeamId): readonly DeviceId[] {
  clearChoices.keep(beam)
  clearCopies.keep(beam)
  return readChosen(beam)
}

export function readChosen(beam: BeamId): readonly DeviceId[] {
  return clearChoices.of(beam).map(([device]) => device as DeviceId)
}

/** Whether what was chosen in a beam is no longer under this id: another tab has followed the beam to a new one, or it has ended. */
export function haveChoicesGone(beam: BeamId): boolean {
  return !clearChoices.isKept(beam)
}

/** Calls back when another tab may have chosen otherwise in a beam. */
export function onChosenElsewhere(beam: () => BeamId | null, hear: (beam: BeamId) => void): void {
  addEventListener('storage', ({ key }) => {
    const id = beam()
    if (id !== null && (key === null || clearChoices.isOf(id, key))) hear(id)
  })
}

export function storeChoice(beam: BeamId, device: DeviceId, isWanted: boolean): void {
  if (isWanted) clearChoices.set(beam, device, CHOSEN)
  else clearChoices.remove(beam, device)
}

/** Returns the copies that a device of this browser has clearCopies. */
export function readMade(beam: BeamId, me: DeviceId): readonly ItemId[] {
  const parsed = v.safeParse(idsSchema, parseJson(clearCopies.get(beam, me) ?? '[]'))
  return parsed.success ? (parsed.output as ItemId[]) : []
}

export function storeMade(beam: BeamId, me: DeviceId, ids: readonly ItemId[]): void {
  if (ids.length === 0) clearCopies.remove(beam, me)
  else clearCopies.set(beam, me, JSON.stringify(ids))
}
