/** What the engine says, put into the stores and into words. */
import type { DeviceId, ItemId } from '../protocol/bindings'
import type { Item } from '../protocol/item'
import type { Path } from '../stores/devices'
import type { Stores } from '../stores/stores'
import { type Receiving, reduceTransfers, type Sending, type TransfersEvent } from '../stores/transfers'
import type { EngineEvent, Progress } from '../transport/engine-messages'
import type { PeerLinks } from '../transport/peer-links'
import { typedByBytes } from './media-kinds'
import type { Toaster } from './toaster'

export function createTransferNews(stores: Stores, toaster: Toaster, links: () => PeerLinks | null) {
  const put = (event: TransfersEvent) =>
    stores.transfers.setState((state) => reduceTransfers(state, event), true)
  const nameOf = (id: ItemId) => fileName(stores.items.getState().items.find((item) => item.id === id))
  const pathTo = (device: DeviceId | null | undefined, kind: 'direct' | 'relay'): Path => {
    const known = device && stores.devices.getState().paths[device]
    return kind === 'relay' ? 'relay' : known === 'turn' ? 'turn' : 'direct'
  }

  const receiving = (id: ItemId, progress: Progress) => {
    const item = stores.items.getState().items.find((one) => one.id === id)
    const tell = (told: Progress) =>
      put({ type: 'receiving', id, state: receivingState(told, (kind) => pathTo(item?.from, kind)) })
    if (progress.status !== 'done' || !progress.file) return tell(progress)
    const category = item?.content.kind === 'file' ? item.content.category : 'file'
    void typedByBytes(progress.file, category).then(
      (file) => tell({ ...progress, file }),
      () => tell({ status: 'failed', bytes: 0, why: 'The file could not be read.' }),
    )
  }
  const sending = (id: ItemId, device: DeviceId, progress: Progress) => {
    const state = sendingState(progress, (kind) => pathTo(device, kind))
    if (!state) return
    put({ type: 'sending', id, to: device, state })
    if (state.status === 'done') toaster.ok(`Uploaded "${nameOf(id)}" Successfully!`)
    if (state.status === 'failed') toaster.bad('Failed to upload!')
  }

  return (event: EngineEvent, relay: (to: DeviceId, frame: ArrayBuffer) => void) => {
    switch (event.say) {
      case 'receiving':
        return receiving(event.id, event.progress)
      case 'sending':
        return sending(event.id, event.device, event.progress)
      case 'relay':
        return relay(event.to, event.frame)
      case 'link':
        if (!event.opened) links()?.fail(event.device, event.key)
        return
      case 'stalled':
        return links()?.fail(event.device, event.key)
    }
  }
}

function receivingState(progress: Progress, path: (kind: 'direct' | 'relay') => Path): Receiving {
  switch (progress.status) {
    case 'queued':
    case 'parked':
      return { status: progress.status, received: progress.bytes }
    case 'moving':
      return {
        status: 'moving',
        received: progress.bytes,
        bytesPerSecond: progress.bytesPerSecond,
        path: path(progress.kind),
      }
    case 'failed':
      return { status: 'failed', received: progress.bytes, why: progress.why }
    case 'cancelled':
      return progress
    case 'done':
      return {
        status: 'done',
        url: progress.file && URL.createObjectURL(progress.file),
        path: path(progress.kind),
      }
  }
}

function sendingState(progress: Progress, path: (kind: 'direct' | 'relay') => Path): Sending | null {
  switch (progress.status) {
    case 'queued':
      return null
    case 'parked':
      return { status: 'parked', sent: progress.bytes }
    case 'moving':
      return {
        status: 'moving',
        sent: progress.bytes,
        bytesPerSecond: progress.bytesPerSecond,
        path: path(progress.kind),
      }
    case 'failed':
      return { status: 'failed', why: progress.why }
    case 'cancelled':
      return progress
    case 'done':
      return { status: 'done', path: path(progress.kind) }
  }
}

/** The name of a file item, for people. */
export function fileName(item: Item | undefined): string {
  return item?.content.kind === 'file' ? item.content.name : 'file'
}
