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

/** One's own beams, newest first. @throws HttpError */
export async function listBeams(): Promise<readonly Beam[]> {
  return (await call('GET', '/beams/', beamsSchema)).beams
}

/** What others share with the caller. @throws HttpError */
export async function listSharedWithMe(): Promise<readonly SharedBeam[]> {
  return (await call('GET', '/beams/shared-with-me/', sharedBeamsSchema)).shared_beams
}

/** The shares of the caller's beams. @throws HttpError */
export async function listMyShares(): Promise<readonly BeamShare[]> {
  return (await call('GET', '/beams/my-shares/', mySharesSchema)).my_shared_beams
}

/** A beam with those who have it. @throws HttpError */
export async function readBeam(id: BeamId): Promise<BeamDetails> {
  return call('GET', `/beams/${id}/`, beamDetailsSchema)
}

/** Renames a beam, or changes what its link allows. @throws HttpError */
export async function changeBeam(id: BeamId, change: BeamChange): Promise<Beam> {
  return call('PUT', `/beams/${id}/`, beamSchema, change)
}

/** Gives a beam a new id. @throws HttpError */
export async function renewBeam(id: BeamId): Promise<Beam> {
  return call('POST', `/beams/${id}/renew/`, beamSchema)
}

/** Deletes a beam and everything in it. @throws HttpError */
export async function deleteBeam(id: BeamId): Promise<void> {
  await call('DELETE', `/beams/${id}/`, doneSchema)
}

/** Shares a beam with a person. @throws HttpError with what the username field is to say */
export async function shareBeam(share: NewShare): Promise<BeamShare> {
  return call('POST', '/beams/share/', beamShareSchema, share)
}

/** Changes what a person may. @throws HttpError */
export async function changeShare(id: ShareId, share_type: Level): Promise<BeamShare> {
  return call('PUT', `/beams/update-share/${id}/`, beamShareSchema, { share_type })
}

/** Takes a share back, or gives up one's own. @throws HttpError */
export async function removeShare(id: ShareId): Promise<void> {
  await call('DELETE', `/beams/unshare/${id}/`, doneSchema)
}
