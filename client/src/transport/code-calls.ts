/** The calls of short codes (H33, H34). */
import type { BeamCode, BeamId, ShortCode } from '../protocol/bindings'
import { beamCodeSchema, codeBeamSchema } from '../protocol/schemas'
import { call } from './http'

/** Asks for the short code of a beam: a new one, or the one that it has. @throws HttpError */
export async function createCode(beam: BeamId): Promise<BeamCode> {
  return call('POST', `/beams/${beam}/code/`, beamCodeSchema)
}

/** Returns the beam that a short code stands for. @throws HttpError */
export async function findByCode(code: ShortCode): Promise<BeamId> {
  return (await call('GET', `/codes/${code}/`, codeBeamSchema)).beam_id
}
