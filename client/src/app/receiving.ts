/** Receives files: small media automatically, everything else when the person asks. */
import type { Actions } from '../features/actions'
import { AUTO_RECEIVE_BYTES, type DeviceId, type ItemId } from '../protocol/bindings'
import type { Item } from '../protocol/item'
import { displayName } from '../protocol/names'
import { offeredHere, reduceTransfers, type TransfersEvent, type TransfersState } from '../stores/transfers'
import type { IncomingFile } from '../transport/engine-messages'
import { canPickFile, pickFile } from '../transport/save-folder'
import type { Context } from './context'
import { safeType } from './media-kinds'
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
      for (const id of offeredHere(stores.transfers.getState())) {
        const item = find(id)
        if (item) receive(context, item, null)
      }
    },
    canSaveAs: canPickFile(),
    async saveAs(id) {
      const item = find(id)
      if (item?.content.kind !== 'file') return
      const picked = await pickFile(displayName(item.content.name))
      if (picked) receive(context, item, picked)
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
  const { stores } = context
  const { transfers } = stores.transfers.getState()
  const { me } = stores.devices.getState()
  const waiting: Extract<TransfersEvent, { type: 'lost' }>[] = []
  for (const item of stores.items.getState().items) {
    const { id, content, from } = item
    if (content.kind !== 'file' || content.url !== null || from === null || transfers[id]) continue
    const isSmall = content.category !== 'file' && content.size <= AUTO_RECEIVE_BYTES
    // A file that was shared from here is gone with the page that shared it.
    if (from === me) waiting.push({ type: 'lost', id, asks: false })
    else if (isSmall) receive(context, item, null)
    else look(context, item)
  }
  if (waiting.length === 0) return
  stores.transfers.setState((state) => waiting.reduce<TransfersState>(reduceTransfers, state), true)
  onLost(waiting.map(({ id }) => id))
}

/** Shows a file if an earlier page has received it, and goes on if that has begun. Otherwise it waits for a tap. */
function look({ stores, transfers }: Context, item: Item): void {
  const file = incomingFile(stores, item)
  if (!file) return
  const looking = { type: 'receiving', id: item.id, state: { status: 'looking' } } as const
  stores.transfers.setState((state) => reduceTransfers(state, looking), true)
  transfers.tell({ do: 'look', file })
}

function receive({ stores, transfers }: Context, item: Item, picked: FileSystemFileHandle | null): void {
  const file = incomingFile(stores, item)
  if (!file) return
  // The engine's reports count only while the transfer is listed.
  const queued = { type: 'receiving', id: item.id, state: { status: 'queued', received: 0 } } as const
  stores.transfers.setState((state) => reduceTransfers(state, queued), true)
  transfers.tell({ do: 'receive', file, picked })
}

/** Returns null for an item that no device has as a file. */
function incomingFile({ session }: Context['stores'], { id, content, from }: Item): IncomingFile | null {
  const current = session.getState()
  if (content.kind !== 'file' || from === null || current.status !== 'set') return null
  const { name, size, type, manifest } = content
  return { id, from, size, type: safeType(type), name, beam: current.session.beamId, head: manifest?.bytes }
}
