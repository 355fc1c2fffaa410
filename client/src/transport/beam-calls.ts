/** Saved beams and their shares (H20 to H29). */
import * as v from 'valibot'
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
import { call } from './http'

const beam = v.object({
  beam_id: v.pipe(v.string(), v.uuid()),
  beam_name: v.string(),
  created_at: v.number(),
  link_access: v.picklist(['none', 'read', 'write']),
})

const level = v.picklist(['read', 'write', 'admin'])

const person = v.object({
  username: v.string(),
  first_name: v.string(),
  last_name: v.string(),
  profile_picture: v.nullable(v.string()),
})

const beamShare = v.object({ id: v.string(), beam, shared_with: v.string(), share_type: level })

const sharedBeam = v.object({ id: v.string(), beam, owner: person, share_type: level })

const details = v.object({
  beam,
  role: v.picklist(['read', 'write', 'admin', 'owner']),
  owner: person,
  shares: v.array(beamShare),
})

const done = v.object({ success: v.boolean() })

// The schemas check the shapes; the brands of ids are the bindings' own.

/** One's own beams, newest first. @throws HttpError */
export async function listBeams(): Promise<readonly Beam[]> {
  const answer = await call('GET', '/beams/', v.object({ beams: v.array(beam) }))
  return answer.beams as unknown as readonly Beam[]
}

/** What others share with the caller. @throws HttpError */
export async function listSharedWithMe(): Promise<readonly SharedBeam[]> {
  const answer = await call('GET', '/beams/shared-with-me/', v.object({ shared_beams: v.array(sharedBeam) }))
  return answer.shared_beams as unknown as readonly SharedBeam[]
}

/** The shares of the caller's beams. @throws HttpError */
export async function listMyShares(): Promise<readonly BeamShare[]> {
  const answer = await call('GET', '/beams/my-shares/', v.object({ my_shared_beams: v.array(beamShare) }))
  return answer.my_shared_beams as unknown as readonly BeamShare[]
}

/** A beam with those who have it. @throws HttpError */
export async function readBeam(id: BeamId): Promise<BeamDetails> {
  return (await call('GET', `/beams/${id}/`, details)) as unknown as BeamDetails
}

/** Renames a beam, or changes what its link allows. @throws HttpError */
export async function changeBeam(id: BeamId, change: BeamChange): Promise<Beam> {
  return (await call('PUT', `/beams/${id}/`, beam, change)) as unknown as Beam
}

/** Gives a beam a new id. @throws HttpError */
export async function renewBeam(id: BeamId): Promise<Beam> {
  return (await call('POST', `/beams/${id}/renew/`, beam)) as unknown as Beam
}

/** Deletes a beam and everything in it. @throws HttpError */
export async function deleteBeam(id: BeamId): Promise<void> {
  await call('DELETE', `/beams/${id}/`, done)
}

/** Shares a beam with a person. @throws HttpError with what the username field is to say */
export async function shareBeam(share: NewShare): Promise<BeamShare> {
  return (await call('POST', '/beams/share/', beamShare, share)) as unknown as BeamShare
}

/** Changes what a person may. @throws HttpError */
export async function changeShare(id: ShareId, share_type: Level): Promise<BeamShare> {
  return (await call('PUT', `/beams/update-share/${id}/`, beamShare, { share_type })) as unknown as BeamShare
}

/** Takes a share back, or gives up one's own. @throws HttpError */
export async function removeShare(id: ShareId): Promise<void> {
  await call('DELETE', `/beams/unshare/${id}/`, done)
}
