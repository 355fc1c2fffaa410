/** The account's saved beams: reads and changes them on the server, and then in the store. */
import { t } from '@lingui/core/macro'
import type { BeamActions, FieldOutcome } from '../features/beam-actions'
import { beamLink, type Linked, opensSealed } from '../protocol/beam-link'
import type { Beam, BeamId } from '../protocol/bindings'
import { type BeamsEvent, reduceBeams } from '../stores/beams'
import type { Stores } from '../stores/stores'
import { HttpError, isLoginOver } from '../transport/http'
import { loadable } from '../ui/lazy-part'
import { writeClipboard } from './clipboard'
import type { Toaster } from './toaster'

// Loaded with the page of beams, not with the first page.
const calls = loadable(() => import('../transport/beam-calls'))

interface Context {
  readonly stores: Stores
  readonly toaster: Toaster
  /** A beam has a new id; a page that is in it follows. */
  readonly onRenewed: (old: BeamId, beam: Beam) => void
  /** Somebody's share is about to end. @throws when it cannot be yet */
  readonly onUnsharing?: (beam: BeamId, username: string) => Promise<void>
  /**
   * Somebody is about to be kept from reading a beam, whose keys a later page changes where this one is closed meanwhile. Returns what takes
   * that back.
   */
  readonly onTakingReading?: (beam: BeamId) => () => void
  /** Somebody may not read a beam any more. Resolves once it has new keys, or these are made later. */
  readonly onReadingTaken: (beam: BeamId) => Promise<void>
  /** Somebody may read a beam now. */
  readonly onShared?: (beam: BeamId, username: string) => void
}

export function createSavedBeams(context: Context): BeamActions {
  // Cleared at logout, so that the next person on this device sees none of them.
  context.stores.account.subscribe(({ status }) => {
    if (status === 'anonymous') teller(context.stores)({ type: 'loggedOut' })
  })
  return { ...createBeamList(context), ...createSharesOfBeam(context) }
}

/** Returns a beam as its link needs it: the secret is known of the one that the page is in. */
function linkedOf({ session }: Pick<Stores, 'session'>, id: BeamId): Linked {
  const current = session.getState()
  return current.status === 'set' && current.session.beamId === id ? current.session : { beamId: id }
}

type ListActions = Pick<BeamActions, 'load' | 'copyId' | 'copyLinkOf' | 'rename' | 'remove' | 'leave'>

function createBeamList({ stores, toaster }: Context): ListActions {
  const tell = teller(stores)
  const attempt = attempts(toaster)
  return {
    async load() {
      const isSame = sameAccount(stores)
      tell({ type: 'loading' })
      const read = await attempt(t`Failed to fetch beams`, async () => {
        const { listBeams, listMyShares, listSharedWithMe } = await calls()
        const [mine, withMe, byMe] = await Promise.all([listBeams(), listSharedWithMe(), listMyShares()])
        if (isSame()) tell({ type: 'loaded', lists: { mine, withMe, byMe } })
      })
      if (!read && isSame()) tell({ type: 'failed' })
    },
    async copyId(id) {
      if (await writeClipboard(id)) toaster.ok(t`Beam ID copied to clipboard`)
      else toaster.bad(t`Failed to copy beam ID!`)
    },
    async copyLinkOf(id) {
      const linked = linkedOf(stores, id)
      const link = beamLink(linked, stores.site.getState().site, location)
      if (!(await writeClipboard(link))) return void toaster.bad(t`Failed to copy the link!`)
      // The secret was left out, because nobody could use it there.
      if (linked.invite && !opensSealed(link))
        toaster.info(t`The link leads to a page without https, where devices cannot open this beam.`)
      else toaster.ok(t`Link copied successfully`)
    },
    rename: ({ beam_id }, beam_name) =>
      submit(toaster, 'beam_name', t`Failed to rename beam`, async () => {
        tell({ type: 'changed', beam: await (await calls()).changeBeam(beam_id, { beam_name }) })
        toaster.ok(t`Beam renamed successfully`)
      }),
    async remove({ beam_id }) {
      await attempt(t`Failed to delete beam`, async () => {
        await (await calls()).deleteBeam(beam_id)
        tell({ type: 'deleted', id: beam_id })
        toaster.ok(t`Beam deleted successfully`)
      })
    },
    async leave({ id }) {
      await attempt(t`Failed to leave beam`, async () => {
        await (await calls()).removeShare(id)
        tell({ type: 'unshared', share: id })
        toaster.ok(t`You have left the beam`)
      })
    },
  }
}

function createSharesOfBeam({
  stores,
  toaster,
  onRenewed,
  onUnsharing,
  onTakingReading,
  onReadingTaken,
  onShared,
}: Context): Omit<BeamActions, keyof ListActions> {
  const tell = teller(stores)
  const attempt = attempts(toaster)
  /** Keeps somebody from reading a beam. Its keys change unless the server refuses that: where the answer is lost, it may have done it. */
  const takeReading = async <Answer>(beam: BeamId, take: () => Promise<Answer>) => {
    const takeBack = onTakingReading?.(beam)
    try {
      const answer = await take()
      return { answer, hasNewKeys: onReadingTaken(beam) }
    } catch (error) {
      if (isRefusal(error)) takeBack?.()
      else void onReadingTaken(beam)
      throw error
    }
  }
  return {
    async openSharing(beam) {
      const isSame = sameAccount(stores)
      tell({ type: 'sharingOpened', beam })
      const read = await attempt(t`Failed to fetch beams`, async () => {
        const details = await (await calls()).readBeam(beam.beam_id)
        if (isSame()) tell({ type: 'sharingLoaded', details })
      })
      if (!read && isSame()) tell({ type: 'sharingFailed' })
    },
    closeSharing: () => tell({ type: 'sharingClosed' }),
    share: ({ beam_id }, username, share_type) =>
      submit(toaster, 'username', t`Failed to share beam`, async () => {
        const share = await (await calls()).shareBeam({ beam_id, username, share_type })
        tell({ type: 'shared', share })
        onShared?.(beam_id, share.shared_with)
        toaster.ok(t`Beam shared successfully with ${{ person: share.shared_with }}`)
      }),
    async changeLevel({ id }, level) {
      await attempt(t`Failed to update permissions`, async () => {
        const { share_type } = await (await calls()).changeShare(id, level)
        tell({ type: 'levelChanged', share: id, level: share_type })
        toaster.ok(t`Share permissions updated successfully`)
      })
    },
    unshare: ({ id, beam, shared_with }) =>
      attempt(t`Failed to remove share`, async () => {
        await onUnsharing?.(beam.beam_id, shared_with)
        const { hasNewKeys } = await takeReading(beam.beam_id, async () => {
          const { removeShare } = await calls()
          // Where an earlier answer was lost, it is gone already.
          await removeShare(id).catch((error: unknown) => {
            if (!isGone(error)) throw error
          })
        })
        tell({ type: 'unshared', share: id })
        toaster.ok(t`Beam share removed successfully`)
        // The link may be renewed next, under which they are to lie too.
        await hasNewKeys
      }),
    async setLinkAccess({ beam_id }, link_access) {
      await attempt(t`Failed to update permissions`, async () => {
        const change = async () => (await calls()).changeBeam(beam_id, { link_access })
        const isTaken = link_access === 'none'
        const beam = isTaken ? (await takeReading(beam_id, change)).answer : await change()
        tell({ type: 'changed', beam })
        toaster.ok(t`Share permissions updated successfully`)
      })
    },
    async renewLink({ beam_id }) {
      await attempt(t`Failed to renew the link`, async () => {
        const beam = await (await calls()).renewBeam(beam_id)
        tell({ type: 'renewed', old: beam_id, beam })
        onRenewed(beam_id, beam)
        toaster.ok(t`Link renewed successfully`)
      })
    },
  }
}

function teller({ beams }: Stores): (event: BeamsEvent) => void {
  return (event) => beams.setState((state) => reduceBeams(state, event), true)
}

/** Returns whether the account is still the one of now: an answer for an earlier one must not be shown. */
function sameAccount({ account }: Stores): () => boolean {
  const nameOf = () => {
    const state = account.getState()
    return state.status === 'authenticated' ? state.user.username : null
  }
  const before = nameOf()
  return () => nameOf() === before
}

/** Runs an action. On failure it shows the server's sentence, or else the given one. */
function attempts(toaster: Toaster) {
  return async (failure: string, act: () => Promise<void>): Promise<boolean> => {
    try {
      await act()
      return true
    } catch (error) {
      if (!isLoginOver(error)) toaster.bad(detailOf(error) ?? failure)
      return false
    }
  }
}

/** Sends a form. An error of its field is returned, to be shown there. */
async function submit(
  toaster: Toaster,
  field: string,
  failure: string,
  act: () => Promise<void>,
): Promise<FieldOutcome> {
  try {
    await act()
    return { ok: true }
  } catch (error) {
    const fieldError = error instanceof HttpError ? (error.fields[field]?.[0] ?? null) : null
    if (fieldError === null && !isLoginOver(error)) toaster.bad(detailOf(error) ?? failure)
    return { ok: false, fieldError }
  }
}

function detailOf(error: unknown): string | null {
  return error instanceof HttpError ? error.detail : null
}

/** Whether nothing was done, for sure. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof HttpError)) return true
  const { status } = error
  return status !== null && status >= 400 && status < 500 && status !== 404
}

/** Whether the server says in its own words that there is no such thing, which a proxy does not. */
function isGone(error: unknown): boolean {
  return error instanceof HttpError && error.status === 404 && error.detail !== null
}
