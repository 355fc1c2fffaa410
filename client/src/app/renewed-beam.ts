/** Finds out where a beam is whose id has ended: its link may have been renewed (H28) by another device or tab. */
import type { Beam, BeamId } from '../protocol/bindings'
import type { Stores } from '../stores/stores'
import { HttpError } from '../transport/http'
import { loadable } from '../ui/lazy-part'
import { isLoggedIn } from './account-known'

// Loaded only when an id has ended, not with the first page.
const calls = loadable(() => import('../transport/beam-calls'))

/**
 * Returns the beam under its new id; `ended` when there is none, or none for this person, and `unreachable` without an
 * answer. Only a person who needs no link is told (H26).
 */
export async function findRenewed(
  old: BeamId,
  stores: Pick<Stores, 'account'>,
): Promise<Beam | 'ended' | 'unreachable'> {
  try {
    // A page that could not ask who is logged in goes on as for nobody, and forgets no keys because of that.
    if (!(await isLoggedIn(stores))) return 'ended'
    const { beam } = await (await calls()).readBeam(old)
    return beam.beam_id === old ? 'ended' : beam
  } catch (error) {
    const isRefused = error instanceof HttpError && (error.status === 404 || error.status === 401)
    return isRefused ? 'ended' : 'unreachable'
  }
}
