/** The notes of a saved beam (H30). */
import * as v from 'valibot'
import { BEAM_PARAM } from '../protocol/beam-link'
import type { BeamId, Note } from '../protocol/bindings'
import { attempt, call } from './http'

const note = v.object({
  id: v.pipe(v.string(), v.uuid()),
  content: v.unknown(),
  title: v.nullable(v.string()),
  json_content: v.unknown(),
  note_type: v.string(),
  seq: v.number(),
  from: v.pipe(v.string(), v.uuid()),
  created_at: v.number(),
  mine: v.boolean(),
})

/**
 * Every note of a beam, oldest first; none of an unsaved or unknown one. A guest has no login that could be renewed and be
 * told about. @throws HttpError
 */
export async function readNotes(beam: BeamId, as: 'guest' | 'user'): Promise<readonly Note[]> {
  const ask = as === 'user' ? call : attempt
  const answer = await ask('GET', `/notes/beam_notes/?${BEAM_PARAM}=${beam}`, v.array(note))
  return answer as unknown as readonly Note[]
}
