/** Keeps texts, links and notes that the server does not have yet in the tab's storage, so that they outlive a reload. */
import * as v from 'valibot'
import type { BeamId, DeviceId, ItemId } from '../protocol/bindings'
import { parseJson } from '../protocol/envelope'
import type { Item } from '../protocol/item'
import { tabStorage } from '../stores/site-storage'
import type { Stores } from '../stores/stores'
import type { Context } from './context'
import { share } from './sharing'

/** One entry for the tab, because leaving a beam gives up what was not sent to it. */
const KEY = 'unsent'

const storedSchema = v.object({
  beam: v.string(),
  items: v.array(
    v.object({ id: v.string(), message: v.unknown(), extra: v.string(), to: v.optional(v.string()) }),
  ),
})

/** Starts to keep them, and shares those of a beam again once this page is in it. Call it before a beam is entered. */
export function keepUnsentItems(context: Pick<Context, 'stores' | 'live'>): void {
  const { session, items } = context.stores
  session.subscribe((now, before) => {
    const beam = beamIn(now)
    // The beam's channel is opened in this task, after the session is set.
    if (beam !== null && beam !== beamIn(before)) queueMicrotask(() => sendAgain(context, beam))
  })
  items.subscribe((now, before) => {
    const beam = beamIn(session.getState())
    const unsent = now.items.filter(isUnsent)
    if (beam !== null && (unsent.length > 0 || before.items.some(isUnsent))) write(beam, unsent)
  })
}

function sendAgain(context: Pick<Context, 'stores' | 'live'>, beam: BeamId): void {
  if (!context.live()) return
  const known = new Set(context.stores.items.getState().items.map(({ id }) => id))
  for (const { id, message, extra, to } of read(beam)) {
    if (!known.has(id as ItemId)) share(context, id as ItemId, message, extra, { to: to as DeviceId })
  }
}

/** Whether only this page has an item. The bytes of a file cannot be kept here. */
function isUnsent({ seq, content, refusal }: Item): boolean {
  return seq === null && refusal === undefined && content.kind !== 'file'
}

function beamIn(state: ReturnType<Stores['session']['getState']>): BeamId | null {
  return state.status === 'set' ? state.session.beamId : null
}

function read(beam: BeamId): v.InferOutput<typeof storedSchema>['items'] {
  const parsed = v.safeParse(storedSchema, parseJson(tabStorage.getItem(KEY) ?? ''))
  return parsed.success && parsed.output.beam === beam ? parsed.output.items : []
}

function write(beam: BeamId, unsent: readonly Item[]): void {
  if (unsent.length === 0) return tabStorage.removeItem(KEY)
  const items = unsent.map(({ id, message, extra, to }) => ({ id, message, extra, to }))
  tabStorage.setItem(KEY, JSON.stringify({ beam, items }))
}
