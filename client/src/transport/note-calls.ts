/** The notes of a saved beam (H30). */
import * as v from 'valibot'
import { BEAM_PARAM } from '../protocol/beam-link'
import type { BeamId, Note } from '../protocol/bindings'
import { call } from './http'

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

/** Every note of a beam, oldest first; none of an unsaved or unknown one. @throws HttpError */
export async function readNotes(beam: BeamId): Promise<readonly Note[]> {
  const answer = await call('GET', `/notes/beam_notes/?${BEAM_PARAM}=${beam}`, v.array(note))
  return answer as unknown as readonly Note[]
}
