/** Keeps the list of recent beams in this browser, for all tabs. */
import { t } from '@lingui/core/macro'
import * as v from 'valibot'
import type { Actions } from '../features/actions'
import { parseBeamId } from '../protocol/beam-link'
import type { BeamId, BeamKey } from '../protocol/bindings'
import { parseJson } from '../protocol/envelope'
import type { BeamSession } from '../stores/beam-session'
import { whyGone } from '../stores/connection'
import { type RecentBeam, type RecentBeamsEvent, reduceRecentBeams } from '../stores/recent-beams'
import { browserStorage } from '../stores/site-storage'
import type { Stores } from '../stores/stores'
import type { Toaster } from './toaster'

const KEY = 'recent'

const storedSchema = v.array(
  v.object({
    beam_id: v.string(),
    beam_key: v.nullable(v.custom<BeamKey>((value) => typeof value === 'string')),
    beam_name: v.string(),
    expiresAt: v.nullable(v.number()),
    sealed: v.optional(v.boolean()),
    at: v.number(),
  }),
)

/** Removes what this browser has of a beam. Resolves to false where one of its tabs is in it. @throws where that may have failed */
export type RemoveBeam = (beam: BeamId) => Promise<boolean>

type Watched = Pick<Stores, 'session' | 'connection' | 'devices' | 'items' | 'recentBeams'>

/** Starts to keep the list. Call it before a beam is entered. */
export function keepRecentBeams(stores: Watched): void {
  const { session, connection, devices, items, recentBeams } = stores
  const tell = teller(stores)
  const load = () => tell({ type: 'loaded', beams: read(), now: Date.now() })
  load()
  recentBeams.subscribe(({ beams }) => write(beams))
  // Another tab has changed the list.
  addEventListener('storage', ({ key }) => {
    if (key === KEY || key === null) load()
  })
  let used: BeamSession | null = null
  const follow = () => {
    const current = session.getState()
    if (current.status !== 'set' || current.session === used || !isWorthRemembering(stores)) return
    used = current.session
    tell({ type: 'used', session: used, at: Date.now() })
  }
  for (const store of [session, connection, devices, items]) store.subscribe(follow)
  connection.subscribe((now) => {
    const current = session.getState()
    if (whyGone(now) === 'ended' && current.status === 'set')
      tell({ type: 'forgotten', beam: current.session.beamId })
  })
}

/** Whether something happened in the beam: a desktop makes one at each visit, and most stay empty. */
function isWorthRemembering({ connection, devices, items }: Watched): boolean {
  const isShared = devices.getState().devices.length > 1 || items.getState().items.length > 0
  return isShared && connection.getState().status === 'live'
}

export function createRecentBeams(
  stores: Watched,
  toaster: Pick<Toaster, 'info'>,
  remove: RemoveBeam,
): Pick<Actions, 'forgetRecent'> {
  const tell = teller(stores)
  const forget = async (beam: BeamId) => {
    const isRemoved = await remove(beam)
    if (isRemoved) tell({ type: 'forgotten', beam })
    return isRemoved
  }
  return {
    async forgetRecent(which) {
      const beams = which === 'all' ? others(stores) : [which]
      // One of which something may be left stays in the list, to be removed again.
      const removed = await Promise.all(beams.map((beam) => forget(beam).catch(() => null)))
      if (removed.includes(false))
        toaster.info(t`A beam that is open in another tab stays in the list. Leave it there first.`)
    },
  }
}

/** The beams of the list in which this page is not. */
function others({ recentBeams, session }: Watched): readonly BeamId[] {
  const state = session.getState()
  const here = state.status === 'set' ? state.session.beamId : null
  return recentBeams
    .getState()
    .beams.map(({ beamId }) => beamId)
    .filter((beam) => beam !== here)
}

function teller({ recentBeams }: Pick<Stores, 'recentBeams'>): (event: RecentBeamsEvent) => void {
  return (event) => recentBeams.setState((state) => reduceRecentBeams(state, event), true)
}

function read(): readonly RecentBeam[] {
  const parsed = v.safeParse(storedSchema, parseJson(browserStorage.getItem(KEY) ?? ''))
  if (!parsed.success) return []
  return parsed.output.flatMap(({ beam_id, beam_key, beam_name, expiresAt, sealed, at }) => {
    const beamId = parseBeamId(beam_id)
    const isSealed = sealed === true && { isSealed: true }
    return beamId ? { beamId, beamKey: beam_key, beamName: beam_name, expiresAt, ...isSealed, at } : []
  })
}

function write(beams: readonly RecentBeam[]): void {
  // Without the secret of the link, which the worker of the keys keeps.
  const entries = beams.map(({ beamId, beamKey, beamName, expiresAt, isSealed, at }) => ({
    beam_id: beamId,
    beam_key: beamKey,
    beam_name: beamName,
    expiresAt,
    ...(isSealed === true && { sealed: true }),
    at,
  }))
  browserStorage.setItem(KEY, JSON.stringify(entries))
}
