/** Saved beams and their shares (H20 to H29). */
import type {
  Beam,
  BeamChange,
  BeamDetails,
  BeamId,
  BeamShare,
  Level,
  NewShare,
  SharedBeam,
  ShareId,
} from '../protocol/bindings'
import {
  beamDetailsSchema,
  beamSchema,
  beamShareSchema,
  beamsSchema,
  doneSchema,
  mySharesSchema,
  sharedBeamsSchema,
} from '../protocol/schemas'
import { call } from './http'

/** Returns the caller's own beams, newest first. @throws HttpError */
export async function listBeams(): Promise<readonly Beam[]> {
  return (await call('GET', '/beams/', beamsSchema)).beams
}

/** Returns the beams that others share with the caller. @throws HttpError */
export async function listSharedWithMe(): Promise<readonly SharedBeam[]> {
  return (await call('GET', '/beams/shared-with-me/', sharedBeamsSchema)).shared_beams
}

/** Returns the shares of the caller's beams. @throws HttpError */
export async function listMyShares(): Promise<readonly BeamShare[]> {
  return (await call('GET', '/beams/my-shares/', mySharesSchema)).my_shared_beams
}

/** Returns a beam and the people it is shared with. @throws HttpError */
export async function readBeam(id: BeamId): Promise<BeamDetails> {
  return call('GET', `/beams/${id}/`, beamDetailsSchema)
}

/** Renames a beam, or changes its link access. @throws HttpError */
export async function changeBeam(id: BeamId, change: BeamChange): Promise<Beam> {
  return call('PUT', `/beams/${id}/`, beamSchema, change)
}

/** Gives a beam a new id, so that its old link ends (H28). @throws HttpError */
export async function renewBeam(id: BeamId): Promise<Beam> {
  return call('POST', `/beams/${id}/renew/`, beamSchema)
}

/** Deletes a beam and everything in it. @throws HttpError */
export async function deleteBeam(id: BeamId): Promise<void> {
  await call('DELETE', `/beams/${id}/`, doneSchema)
}

/** Shares a beam with a person. @throws HttpError with the errors of the username field */
export async function shareBeam(share: NewShare): Promise<BeamShare> {
  return call('POST', '/beams/share/', beamShareSchema, share)
}

/** Changes the level of a share. @throws HttpError */
export async function changeShare(id: ShareId, share_type: Level): Promise<BeamShare> {
  return call('PUT', `/beams/update-share/${id}/`, beamShareSchema, { share_type })
}

/** Removes a share; the recipient may call it too, to leave the beam. @throws HttpError */
export async function removeShare(id: ShareId): Promise<void> {
  await call('DELETE', `/beams/unshare/${id}/`, doneSchema)
}
