/** Receives files: small media automatically, everything else when the person asks. */
import type { Actions } from '../features/actions'
import { AUTO_RECEIVE_BYTES, type DeviceId, type ItemId } from '../protocol/bindings'
import type { Item } from '../protocol/item'
import { displayName } from '../protocol/names'
import { offeredHere, type PutEvent, putTransfers, reduceTransfers } from '../stores/transfers'
import type { EngineCommand, IncomingFile } from '../transport/engine-messages'
import { canPickFile, dropPicked, pickFile } from '../transport/save-folder'
import type { Context } from './context'
import { askedFiles, pausedFiles } from './marked-files'
import { safeType } from './media-kinds'
import { sentBefore } from './sent-files'
import { forget } from './sharing'

type ReceivingActions = Pick<
  Actions,
  'receive' | 'receiveAll' | 'saveAs' | 'canSaveAs' | 'cancel' | 'pause' | 'resume'
>

export function createReceiving(context: Context): ReceivingActions {
  const { stores, transfers } = context
  const find = (id: ItemId) => stores.items.getState().items.find((item) => item.id === id)
  return {
    receive(id) {
      const item = find(id)
      if (item) ask(context, [item])
    },
    receiveAll() {
      const { items } = stores.items.getState()
      const offered = new Set(offeredHere(stores.transfers.getState(), items))
      ask(
        context,
        items.filter(({ id }) => offered.has(id)),
      )
    },
    canSaveAs: canPickFile(),
    async saveAs(id) {
      const item = find(id)
      if (item?.content.kind !== 'file') return
      const picked = await pickFile(displayName(item.content.name))
      if (!picked) return
      // It may have been deleted, or its beam left, while the picker was open.
      const wanted = find(id)
      if (!wanted) return dropPicked(picked)
      // A later page could not write there.
      askedFiles.forget(id)
      begin(context, [receiving(stores, wanted, picked)])
    },
    cancel(id: ItemId, device?: DeviceId) {
      const transfer = stores.transfers.getState().transfers[id]
      // No other device knows of a file that is still being uploaded.
      if (transfer?.role === 'storing') return forget(context, id)
      // A failed transfer no longer moves; giving it up offers the file again.
      if (transfer?.role === 'receiving' && transfer.state.status === 'failed') {
        const offered = { type: 'receiving', id, state: { status: 'offered' } } as const
        stores.transfers.setState((state) => reduceTransfers(state, offered), true)
      }
      transfers.tell({ do: 'cancel', id, device: device ?? null })
    },
    pause: (id, device) => transfers.tell({ do: 'pause', id, device: device ?? null }),
    resume: (id, device) => transfers.tell({ do: 'resume', id, device: device ?? null }),
  }
}

/** A file that begins to come: how it is shown, and what the engine is told. */
interface Beginning {
  readonly shown: PutEvent | null
  readonly told: readonly EngineCommand[]
}

/** The person asks for files. */
function ask(context: Context, items: readonly Item[]): void {
  for (const { id } of items) askedFiles.note(id)
  begin(
    context,
    items.map((item) => receiving(context.stores, item, null)),
  )
}

/** Begins to receive media up to 25 MB, and what was asked for on an earlier page. Of other files, those are shown that were received before. */
export function receiveWhatComes(context: Context, onLost: (ids: readonly ItemId[]) => void): void {
  const { items } = context.stores.items.getState()
  const found = items.map((item) => ({ item, coming: whatComes(context.stores, item) }))
  begin(
    context,
    found.map(({ coming }) => (coming === 'lost' ? null : coming)),
  )
  const lost = found.flatMap(({ item, coming }) => (coming === 'lost' ? [item.id] : []))
  if (lost.length === 0) return
  showLost(context, lost)
  onLost(lost)
}

/** Shows that files which were shared from here are gone with the page that shared them. */
export function showLost({ stores }: Pick<Context, 'stores'>, ids: readonly ItemId[]): void {
  const events = ids.map((id): PutEvent => ({ type: 'lost', id, asks: false, to: sentBefore(id) }))
  stores.transfers.setState((state) => putTransfers(state, events), true)
}

/** Begins with files, all at once: a beam that is opened may have thousands. */
function begin({ stores, transfers }: Context, files: readonly (Beginning | null)[]): void {
  const shown = files.flatMap((file) => file?.shown ?? [])
  // The engine's reports count only while the transfer is listed.
  if (shown.length > 0) stores.transfers.setState((state) => putTransfers(state, shown), true)
  for (const file of files) for (const command of file?.told ?? []) transfers.tell(command)
}

/**
 * Returns how a file begins to come by itself; null where it does not. `lost`: it was shared from here, and is gone with the page
 * that shared it.
 */
function whatComes(stores: Context['stores'], item: Item): Beginning | 'lost' | null {
  const { id, content, from } = item
  const { transfers, devices } = stores
  if (content.kind !== 'file' || from === null) return null
  const isKnown = transfers.getState().transfers[id] !== undefined
  // A copy that is sealed (E7) is received like a file of a device, and is then shown as one.
  if (content.url !== null && (isKnown || !content.seal)) return goingOnWithCopy(stores, item, content.url)
  if (isKnown) return null
  if (from === devices.getState().me && content.url === null) return 'lost'
  const isSmallMedium = content.category !== 'file' && content.size <= AUTO_RECEIVE_BYTES
  if (isSmallMedium || askedFiles.has(id)) return receiving(stores, item, null, pausedFiles.has(id))
  return looking(stores, item)
}

/** The server has a copy of a file (F9): what has begun to come from its device may go on from there (F22). */
function goingOnWithCopy(stores: Context['stores'], item: Item, url: string): Beginning | null {
  const { transfers, unfinished, devices } = stores
  const transfer = transfers.getState().transfers[item.id]
  if (transfer?.role === 'receiving') return { shown: null, told: [{ do: 'stored', id: item.id, url }] }
  const isBegun = unfinished.getState().files.some(({ id }) => id === item.id)
  return !transfer && isBegun && item.from !== devices.getState().me ? looking(stores, item) : null
}

/** Shows a file if an earlier page has received it, and goes on if that has begun. Otherwise it waits for a tap. */
function looking(stores: Context['stores'], item: Item): Beginning | null {
  const file = incomingFile(stores, item)
  if (!file) return null
  const shown = { type: 'receiving', id: item.id, state: { status: 'looking' } } as const
  return { shown, told: [{ do: 'look', file }] }
}

/** @param isPaused whether the person has paused it before, so that it waits for them (F18) */
function receiving(
  stores: Context['stores'],
  item: Item,
  picked: FileSystemFileHandle | null,
  isPaused = false,
): Beginning | null {
  const file = incomingFile(stores, item)
  if (!file) return null
  const { id } = item
  const state = isPaused
    ? ({ status: 'paused', received: 0, by: 'me' } as const)
    : ({ status: 'queued', received: 0 } as const)
  const pause = { do: 'pause', id, device: null } as const
  return {
    shown: { type: 'receiving', id, state },
    told: [{ do: 'receive', file, picked }, ...(isPaused ? [pause] : [])],
  }
}

/** Returns null for an item that no device has as a file. */
function incomingFile({ session }: Context['stores'], { id, content, from, to }: Item): IncomingFile | null {
  const current = session.getState()
  if (content.kind !== 'file' || from === null || current.status !== 'set') return null
  const { name, size, type, manifest, url, seal } = content
  const known = { id, from, size, type: safeType(type), name, beam: current.session.beamId }
  return { ...known, head: manifest?.bytes, url: url ?? undefined, isPrivate: to !== undefined, seal }
}
