/** Receives files: small media automatically, everything else when the person asks. */
import type { Actions } from '../features/actions'
import { AUTO_RECEIVE_BYTES, type DeviceId, type ItemId } from '../protocol/bindings'
import type { Item } from '../protocol/item'
import { displayName } from '../protocol/names'
import { offeredHere, reduceTransfers, type TransfersEvent, type TransfersState } from '../stores/transfers'
import type { IncomingFile } from '../transport/engine-messages'
import { canPickFile, dropPicked, pickFile } from '../transport/save-folder'
import type { Context } from './context'
import { safeType } from './media-kinds'
import { wasPaused } from './paused-files'
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
      if (item) receive(context, item, null)
    },
    receiveAll() {
      for (const id of offeredHere(stores.transfers.getState(), stores.items.getState().items)) {
        const item = find(id)
        if (item) receive(context, item, null)
      }
    },
    canSaveAs: canPickFile(),
    async saveAs(id) {
      const item = find(id)
      if (item?.content.kind !== 'file') return
      const picked = await pickFile(displayName(item.content.name))
      if (!picked) return
      // It may have been deleted, or its beam left, while the picker was open.
      const wanted = find(id)
      if (wanted) receive(context, wanted, picked)
      else await dropPicked(picked)
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

/** Begins to receive media up to 25 MB. Of other files, those are shown that were received before. */
export function receiveWhatComes(context: Context, onLost: (ids: readonly ItemId[]) => void): void {
  const { items } = context.stores.items.getState()
  const lost = items.flatMap((item) => (takesWhatComes(context, item) ? [] : [item.id]))
  if (lost.length === 0) return
  showLost(context, lost)
  onLost(lost)
}

/** Shows that files which were shared from here are gone with the page that shared them. */
export function showLost({ stores }: Pick<Context, 'stores'>, ids: readonly ItemId[]): void {
  const events = ids.map((id): TransfersEvent => ({ type: 'lost', id, asks: false, to: sentBefore(id) }))
  stores.transfers.setState((state) => events.reduce<TransfersState>(reduceTransfers, state), true)
}

/** Returns false for a file that was shared from here and is gone with the page that shared it. */
function takesWhatComes(context: Context, item: Item): boolean {
  const { id, content, from } = item
  const { transfers, devices } = context.stores
  if (content.kind !== 'file' || from === null) return true
  const isKnown = transfers.getState().transfers[id] !== undefined
  // A copy that is sealed (E7) is received like a file of a device, and is then shown as one.
  if (content.url !== null && (isKnown || !content.seal)) goOnWithCopy(context, item, content.url)
  else if (isKnown) return true
  else if (from === devices.getState().me && content.url === null) return false
  else if (content.category !== 'file' && content.size <= AUTO_RECEIVE_BYTES)
    receive(context, item, null, wasPaused(id))
  else look(context, item)
  return true
}

/** The server has a copy of a file (F9): what has begun to come from its device may go on from there (F22). */
function goOnWithCopy(context: Context, item: Item, url: string): void {
  const { transfers, unfinished, devices } = context.stores
  const transfer = transfers.getState().transfers[item.id]
  if (transfer?.role === 'receiving') return context.transfers.tell({ do: 'stored', id: item.id, url })
  const isBegun = unfinished.getState().files.some(({ id }) => id === item.id)
  if (!transfer && isBegun && item.from !== devices.getState().me) look(context, item)
}

/** Shows a file if an earlier page has received it, and goes on if that has begun. Otherwise it waits for a tap. */
function look({ stores, transfers }: Context, item: Item): void {
  const file = incomingFile(stores, item)
  if (!file) return
  const looking = { type: 'receiving', id: item.id, state: { status: 'looking' } } as const
  stores.transfers.setState((state) => reduceTransfers(state, looking), true)
  transfers.tell({ do: 'look', file })
}

/** @param isPaused whether the person has paused it before, so that it waits for them (F18) */
function receive(
  { stores, transfers }: Context,
  item: Item,
  picked: FileSystemFileHandle | null,
  isPaused = false,
): void {
  const file = incomingFile(stores, item)
  if (!file) return
  const { id } = item
  const waits = isPaused
    ? ({ status: 'paused', received: 0, by: 'me' } as const)
    : ({ status: 'queued', received: 0 } as const)
  // The engine's reports count only while the transfer is listed.
  const listed = { type: 'receiving', id, state: waits } as const
  stores.transfers.setState((state) => reduceTransfers(state, listed), true)
  transfers.tell({ do: 'receive', file, picked })
  if (isPaused) transfers.tell({ do: 'pause', id, device: null })
}

/** Returns null for an item that no device has as a file. */
function incomingFile({ session }: Context['stores'], { id, content, from, to }: Item): IncomingFile | null {
  const current = session.getState()
  if (content.kind !== 'file' || from === null || current.status !== 'set') return null
  const { name, size, type, manifest, url, seal } = content
  const known = { id, from, size, type: safeType(type), name, beam: current.session.beamId }
  return { ...known, head: manifest?.bytes, url: url ?? undefined, isPrivate: to !== undefined, seal }
}
