/**
 * Keeps what the server does not have yet, items and changes of items, in the tab's storage, so that it outlives a reload. The
 * bytes of a file do not fit there: they come back as those of any file that a reload has taken from this page.
 */
import type { BeamId, ItemId } from '../protocol/bindings'
import { type Item, isUnsent } from '../protocol/item'
import type { Encryption } from '../stores/encryption'
import type { Stores } from '../stores/stores'
import type { TransfersState } from '../stores/transfers'
import type { Context, ItemChannel } from './context'
import { isSeen } from './page-life'
import { RareTask } from './rare-task'
import { showLost } from './receiving'
import { addresseeOf } from './sharing'
import { besideOf, shareUnsent, UnsentEdits } from './unsent-edits'
import { forgetUnsent, readUnsent, storeUnsent, type Unsent } from './unsent-storage'

/** All of them are written each time, in milliseconds. */
const WRITES_AFTER_MS = 200

/**
 * Starts to keep them, and shares those of a beam again once this page is in it. Call it before a beam is entered.
 * @param onLost called with the files among them, which may lie where this page can read them
 */
export function keepUnsentItems(
  context: Pick<Context, 'stores' | 'live'>,
  onLost: (ids: readonly ItemId[]) => void,
): void {
  const { session, items, encryption } = context.stores
  const heldBack = new Set<ItemId>()
  /** The beam whose items have changed since they were written. */
  let changed: BeamId | null = null
  const hold = (kind: Encryption['kind']) => {
    if (kind === 'clear' || kind === 'sealed') heldBack.clear()
    if (kind === 'locked') for (const { id } of items.getState().items.filter(isUnsent)) heldBack.add(id)
  }
  const writing = new RareTask(WRITES_AFTER_MS, () => {
    if (changed === null) return
    hold(encryption.getState().kind)
    const unsent = items.getState().items.filter(isUnsent)
    storeUnsent(changed, [...storedOf(context.stores, unsent, heldBack), ...edits.waiting])
    changed = null
  })
  const keep = () => {
    changed = beamIn(session.getState()) ?? changed
    writing.request()
  }
  const edits = new UnsentEdits(context, keep)
  let channel: ItemChannel | null = null
  /** The beam that this page is in, or was in before it began to look for another one. */
  let last: BeamId | null = null
  session.subscribe((now, before) => {
    const beam = beamIn(now)
    if (beam === beamIn(before)) return
    // What has changed belongs to the beam of before.
    writing.finish()
    if (beam !== null && channel !== null && channel === context.live()) {
      // The beam has another id, and its items stay (H28).
      last = beam
      keep()
      return writing.finish()
    }
    edits.end()
    channel = null
    // A person was asked. What an earlier page of the tab has left for a beam that this one was never in stays.
    if (hasLeft(now, last)) forgetUnsent()
    if (beam !== null || now.status === 'none') last = beam
    // The beam's channel is opened in this task, after the session is set.
    queueMicrotask(() => {
      if (beam === null || beam !== beamIn(session.getState())) return
      channel = context.live()
      if (channel) edits.wait(sendAgain(context, channel, beam, heldBack, onLost))
    })
  })
  items.subscribe((now, before) => {
    if (now.items.some(isUnsent) || before.items.some(isUnsent)) keep()
  })
  encryption.subscribe((_, before) => {
    // What came meanwhile, and may not be written yet, was held back as well.
    hold(before.kind)
    if (items.getState().items.some(isUnsent)) keep()
  })
  addEventListener('pagehide', () => writing.finish())
  // A page that is not seen may end without a word.
  document.addEventListener('visibilitychange', () => isSeen() || writing.finish())
}

/** Returns the changes of items, which wait until it is known what the server has of these. */
function sendAgain(
  context: Pick<Context, 'stores' | 'live'>,
  channel: ItemChannel,
  beam: BeamId,
  heldBack: Set<ItemId>,
  onLost: (ids: readonly ItemId[]) => void,
): readonly Unsent[] {
  const known = new Set(context.stores.items.getState().items.map(({ id }) => id))
  const unsent = readUnsent(beam).filter(({ id }) => !known.has(id as ItemId))
  // What was held back, the channel alone lets out (E11): such a change is not compared with what the server has, and goes beside it.
  const waits = ({ replaces, isHeldBack }: Unsent) => replaces !== undefined && !isHeldBack
  const added = unsent
    .filter((one) => !waits(one))
    .flatMap((one) => (one.replaces === undefined ? one : (besideOf(one, true) ?? [])))
  const lost = added.flatMap(({ id, isOnlyHere }) => (isOnlyHere ? [id as ItemId] : []))
  showLost(context, lost)
  const held = added.flatMap(({ id, isHeldBack }) => (isHeldBack ? [id as ItemId] : []))
  for (const id of held) {
    heldBack.add(id)
    channel.heldBack?.(id)
  }
  for (const one of added) shareUnsent(context, one)
  if (lost.length > 0) onLost(lost)
  return unsent.filter(waits)
}

/** Whether nobody else has the bytes of a file: neither the server, nor the device from which this one has received it. */
function isOnlyHere({ id, content }: Item, { transfers }: TransfersState): boolean {
  const role = transfers[id]?.role
  return content.kind === 'file' && content.url === null && role !== undefined && role !== 'receiving'
}

function beamIn(state: ReturnType<Stores['session']['getState']>): BeamId | null {
  return state.status === 'set' ? state.session.beamId : null
}

/** Whether a page has left the beam that it was in last, for none or for another one that is here. */
function hasLeft(now: ReturnType<Stores['session']['getState']>, last: BeamId | null): boolean {
  return last !== null && (now.status === 'set' ? now.session.beamId !== last : now.status === 'none')
}

function storedOf(stores: Stores, unsent: readonly Item[], heldBack: ReadonlySet<ItemId>): readonly Unsent[] {
  const transfers = stores.transfers.getState()
  return unsent.map((item) => {
    const { id, message, extra, isClear, inClearTo, seq } = item
    return {
      id,
      message,
      extra,
      // What came for this device alone goes back to who sent it.
      to: addresseeOf(stores, id),
      isClear,
      inClearTo,
      ...(seq !== null && { replaces: seq }),
      ...(isOnlyHere(item, transfers) && { isOnlyHere: true }),
      ...(heldBack.has(id) && { isHeldBack: true }),
    }
  })
}
