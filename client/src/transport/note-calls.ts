/** The notes of a saved beam (H30), and the room for files of a saved or kept one (F13). */
import * as v from 'valibot'
import { BEAM_PARAM } from '../protocol/beam-link'
import type { BeamId, FileRoom, Note } from '../protocol/bindings'
import { fileRoomSchema, noteSchema } from '../protocol/schemas'
import { attempt, call } from './http'

/**
 * Returns every note of a beam, oldest first; none for an unsaved or unknown beam. As a guest no stale login is
 * renewed.
 * @throws HttpError
 */
export async function readNotes(beam: BeamId, as: 'guest' | 'user'): Promise<readonly Note[]> {
  const ask = as === 'user' ? call : attempt
  return ask('GET', `/notes/beam_notes/?${BEAM_PARAM}=${beam}`, v.array(noteSchema))
}

/**
 * Returns how much a saved or kept beam still stores. As a guest no stale login is renewed.
 * @throws HttpError
 */
export async function readFileRoom(beam: BeamId, as: 'guest' | 'user'): Promise<FileRoom> {
  const ask = as === 'user' ? call : attempt
  return ask('GET', `/beams/${beam}/files/`, fileRoomSchema)
}
