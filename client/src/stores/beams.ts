/** The account's saved beams and shares: the three lists of My Beams, and the beam of the open Share dialog. */
import { createStore } from 'zustand/vanilla'
import type {
  Beam,
  BeamDetails,
  BeamId,
  BeamShare,
  Level,
  LinkAccess,
  SharedBeam,
  ShareId,
} from '../protocol/bindings'

export interface BeamLists {
  readonly mine: readonly Beam[]
  readonly withMe: readonly SharedBeam[]
  readonly byMe: readonly BeamShare[]
}

export type ListsState =
  | { status: 'idle' }
  | { status: 'loading' }
  | { status: 'failed' }
  | ({ status: 'ready' } & BeamLists)

/** The beam of the Share dialog. */
export type SharingState =
  | { status: 'closed' }
  | { status: 'loading'; beam: Beam }
  | { status: 'failed'; beam: Beam }
  | { status: 'ready'; beam: Beam; details: BeamDetails }

export interface BeamsState {
  readonly lists: ListsState
  readonly sharing: SharingState
}

export type BeamsEvent =
  | { type: 'loggedOut' }
  | { type: 'loading' }
  | { type: 'loaded'; lists: BeamLists }
  | { type: 'failed' }
  | { type: 'changed'; beam: Beam }
  | { type: 'renamed'; id: BeamId; name: string }
  /** The link was renewed: the beam has another id. */
  | { type: 'renewed'; old: BeamId; beam: Beam }
  | { type: 'deleted'; id: BeamId }
  | { type: 'sharingOpened'; beam: Beam }
  | { type: 'sharingLoaded'; details: BeamDetails }
  | { type: 'sharingFailed' }
  | { type: 'sharingClosed' }
  | { type: 'shared'; share: BeamShare }
  | { type: 'levelChanged'; share: ShareId; level: Level }
  | { type: 'unshared'; share: ShareId }

const EMPTY: BeamsState = { lists: { status: 'idle' }, sharing: { status: 'closed' } }

/** Applies an event to the saved beams. */
export function reduceBeams(state: BeamsState, event: BeamsEvent): BeamsState {
  switch (event.type) {
    case 'loggedOut':
      return EMPTY
    case 'loading':
      // The lists stay on the screen while they are read again.
      return state.lists.status === 'ready' ? state : { ...state, lists: { status: 'loading' } }
    case 'loaded':
      return { ...state, lists: { status: 'ready', ...event.lists } }
    case 'failed':
      return { ...state, lists: { status: 'failed' } }
    case 'changed':
      return withBeams(state, (beam) => (beam.beam_id === event.beam.beam_id ? event.beam : beam))
    case 'renamed':
      return withBeams(state, (beam) =>
        beam.beam_id === event.id ? { ...beam, beam_name: event.name } : beam,
      )
    case 'renewed':
      return withBeams(state, (beam) => (beam.beam_id === event.old ? event.beam : beam))
    case 'deleted':
      return withLists(state, (lists) => ({
        mine: lists.mine.filter((beam) => beam.beam_id !== event.id),
        withMe: lists.withMe.filter(({ beam }) => beam.beam_id !== event.id),
        byMe: lists.byMe.filter(({ beam }) => beam.beam_id !== event.id),
      }))
    case 'shared':
    case 'levelChanged':
    case 'unshared':
      return withShares(state, event)
    default:
      return { ...state, sharing: sharing(state.sharing, event) }
  }
}

type SharingEvent = Extract<BeamsEvent, { type: `sharing${string}` }>

function sharing(state: SharingState, event: SharingEvent): SharingState {
  if (event.type === 'sharingOpened') return { status: 'loading', beam: event.beam }
  if (event.type === 'sharingClosed' || state.status === 'closed') return { status: 'closed' }
  if (event.type === 'sharingFailed') return { status: 'failed', beam: state.beam }
  // The answer is late: it is about another beam, whose dialog is closed.
  if (event.details.beam.beam_id !== state.beam.beam_id) return state
  return { status: 'ready', beam: event.details.beam, details: event.details }
}

function withBeams(state: BeamsState, change: (beam: Beam) => Beam): BeamsState {
  const inShare = <Share extends { beam: Beam }>(share: Share): Share => ({
    ...share,
    beam: change(share.beam),
  })
  const changed = withLists(state, ({ mine, withMe, byMe }) => ({
    mine: mine.map(change),
    withMe: withMe.map(inShare),
    byMe: byMe.map(inShare),
  }))
  const { sharing: open } = changed
  if (open.status === 'closed') return changed
  const beam = change(open.beam)
  if (open.status !== 'ready') return { ...changed, sharing: { ...open, beam } }
  const details = { ...open.details, beam, shares: open.details.shares.map(inShare) }
  return { ...changed, sharing: { ...open, beam, details } }
}

function withLists(state: BeamsState, change: (lists: BeamLists) => BeamLists): BeamsState {
  if (state.lists.status !== 'ready') return state
  return { ...state, lists: { status: 'ready', ...change(state.lists) } }
}

type ShareEvent = Extract<BeamsEvent, { type: 'shared' | 'levelChanged' | 'unshared' }>

function withShares(state: BeamsState, event: ShareEvent): BeamsState {
  const changed = withLists(state, (lists) => {
    // This list has only one's own beams. An admin may also share the beams of others.
    const isForeign =
      event.type === 'shared' && !lists.mine.some(({ beam_id }) => beam_id === event.share.beam.beam_id)
    const wasMine = ({ id }: SharedBeam) => event.type === 'unshared' && id === event.share
    return {
      ...lists,
      byMe: isForeign ? lists.byMe : shares(lists.byMe, event),
      withMe: lists.withMe.filter((share) => !wasMine(share)),
    }
  })
  const { sharing: open } = changed
  if (open.status !== 'ready') return changed
  if (event.type === 'shared' && event.share.beam.beam_id !== open.beam.beam_id) return changed
  const details = { ...open.details, shares: [...shares(open.details.shares, event)] }
  return { ...changed, sharing: { ...open, details } }
}

function shares(list: readonly BeamShare[], event: ShareEvent): readonly BeamShare[] {
  switch (event.type) {
    case 'shared':
      return [event.share, ...list]
    case 'levelChanged':
      return list.map((share) => (share.id === event.share ? { ...share, share_type: event.level } : share))
    case 'unshared':
      return list.filter(({ id }) => id !== event.share)
  }
}

/** Whether a person shared with at read could still write by the link (B5). */
export function linkDefeatsReadShares(
  linkAccess: LinkAccess,
  list: readonly { share_type: Level }[],
): boolean {
  return linkAccess === 'write' && list.some(({ share_type }) => share_type === 'read')
}

export function createBeamsStore() {
  return createStore<BeamsState>()(() => EMPTY)
}
