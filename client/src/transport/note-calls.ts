/** The notes of a saved beam (H30). */
import * as v from 'valibot'
import { BEAM_PARAM } from '../protocol/beam-link'
import type { BeamId, Note } from '../protocol/bindings'
import { noteSchema } from '../protocol/schemas'
import { attempt, call } from './http'

/**
 * Every note of a beam, oldest first; none of an unsaved or unknown one. A guest has no login that could be renewed and be
 * told about. @throws HttpError
 */
export async function readNotes(beam: BeamId, as: 'guest' | 'user'): Promise<readonly Note[]> {
  const ask = as === 'user' ? call : attempt
  return ask('GET', `/notes/beam_notes/?${BEAM_PARAM}=${beam}`, v.array(noteSchema))
}
