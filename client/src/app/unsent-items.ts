/**
 * Keeps items that the server does not have yet in the tab's storage, so that they outlive a reload. The bytes of a file do not fit
 * there: they come back as those of any file that a reload has taken from this page.
 */
import type { BeamId, DeviceId, ItemId } from '../protocol/bindings'
import type { Item } from '../protocol/item'
import type { Encryption } from '../stores/encryption'
import type { Stores } from '../stores/stores'
import type { TransfersState } from '../stores/transfers'
import type { Context } from './context'
import { isSeen } from './page-life'
import { RareTask } from './rare-task'
import { showLost } from './receiving'
import { share } from './sharing'
import { readUnsent, storeUnsent } from './unsent-storage'

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
  const { session, items, transfers, encryption } = context.stores
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
    write(changed, items.getState().items.filter(isUnsent), transfers.getState(), heldBack)
    changed = null
  })
  const keep = () => {
    changed = beamIn(session.getState()) ?? changed
    writing.request()
  }
  session.subscribe((now, before) => {
    const beam = beamIn(now)
    if (beam === beamIn(before)) return
    // What has changed belongs to the beam of before.
    writing.finish()
    if (beam === null) return
    // The beam has another id, and its items stay (H28).
    if (items.getState().items.some(isUnsent)) {
      keep()
      writing.finish()
    }
    // The beam's channel is opened in this task, after the session is set.
    queueMicrotask(() => sendAgain(context, beam, heldBack, onLost))
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

function sendAgain(
  context: Pick<Context, 'stores' | 'live'>,
  beam: BeamId,
  heldBack: Set<ItemId>,
  onLost: (ids: readonly ItemId[]) => void,
): void {
  if (!context.live()) return
  const known = new Set(context.stores.items.getState().items.map(({ id }) => id))
  const unsent = readUnsent(beam).filter(({ id }) => !known.has(id as ItemId))
  const lost = unsent.flatMap(({ id, isOnlyHere }) => (isOnlyHere ? [id as ItemId] : []))
  showLost(context, lost)
  const held = unsent.flatMap(({ id, isHeldBack }) => (isHeldBack ? [id as ItemId] : []))
  for (const id of held) {
    heldBack.add(id)
    context.live()?.heldBack?.(id)
  }
  for (const { id, message, extra, to, isClear, inClearTo } of unsent)
    share(context, id as ItemId, message, extra, {
      to: to as DeviceId,
      isClear,
      // What was chosen since is not meant for it.
      inClearTo: (inClearTo ?? []) as readonly DeviceId[],
    })
  if (lost.length > 0) onLost(lost)
}

/** Whether only this page has an item. */
function isUnsent({ seq, refusal }: Item): boolean {
  return seq === null && refusal === undefined
}

/** Whether nobody else has the bytes of a file: neither the server, nor the device from which this one has received it. */
function isOnlyHere({ id, content }: Item, { transfers }: TransfersState): boolean {
  const role = transfers[id]?.role
  return content.kind === 'file' && content.url === null && role !== undefined && role !== 'receiving'
}

function beamIn(state: ReturnType<Stores['session']['getState']>): BeamId | null {
  return state.status === 'set' ? state.session.beamId : null
}

function write(
  beam: BeamId,
  unsent: readonly Item[],
  transfers: TransfersState,
  heldBack: ReadonlySet<ItemId>,
): void {
  const items = unsent.map((item) => {
    const { id, message, extra, to, isClear, inClearTo } = item
    return {
      id,
      message,
      extra,
      to,
      isClear,
      inClearTo,
      ...(isOnlyHere(item, transfers) && { isOnlyHere: true }),
      ...(heldBack.has(id) && { isHeldBack: true }),
    }
  })
  storeUnsent(beam, items)
}
