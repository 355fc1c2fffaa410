/** Takes the engine's reports into the stores, and shows those that concern the person as toasts. */
import { t } from '@lingui/core/macro'
import type { DeviceId, ItemId } from '../protocol/bindings'
import type { Item } from '../protocol/item'
import { DIRECT, type TransferWay, type Way } from '../protocol/way'
import type { Stores } from '../stores/stores'
import {
  addressIn,
  reduceTransfers,
  type Sending,
  sentTo,
  type TransfersEvent,
  type TransfersState,
} from '../stores/transfers'
import type { Carrying, EngineCommand, EngineEvent, Progress } from '../transport/engine-messages'
import type { LiveBeam } from '../transport/live-beam'
import type { PeerLinks } from '../transport/peer-links'
import { Transfers } from '../transport/transfers'
import { releaseBlobUrl } from './blob-urls'
import { changedIn, packedFrom } from './changed-files'
import { flowEvent, forgetFlows, putFlows } from './flow-news'
import { learnPack } from './packs'
import { receivingNews } from './receiving-news'
import type { Toaster } from './toaster'
import { learnUnfinished } from './unfinished'
import type { UploadNews } from './upload-news'

const memoryOnly = () =>
  t`This browser gives pages no disk space here. Received files stay in memory: save what you want to keep.`

/** The page as the engine in its worker needs it. */
export interface EnginePage {
  readonly links: PeerLinks
  readonly live: LiveBeam
}

/** Starts the engine and takes its reports into the stores. Call it once. */
export function startTransfers(
  stores: Stores,
  toaster: Toaster,
  uploads: UploadNews,
  page: () => EnginePage | null,
): Transfers {
  const transfers: Transfers = new Transfers((event) => news(event))
  const tell = (command: EngineCommand) => transfers.tell(command)
  const offered = (id: ItemId) => transfers.offered(id)
  const news = createTransferNews(stores, toaster, uploads, page, tell, offered)
  freeWhatGoes(stores, tell)
  forgetFlows(stores)
  return transfers
}

export function createTransferNews(
  stores: Stores,
  toaster: Toaster,
  uploads: UploadNews,
  page: () => EnginePage | null,
  tell: (command: EngineCommand) => void,
  offered: (id: ItemId) => Blob | null = () => null,
) {
  const put = (event: TransfersEvent) =>
    stores.transfers.setState((state) => reduceTransfers(state, event), true)
  const itemOf = (id: ItemId) => stores.items.getState().items.find((item) => item.id === id)
  const nameOf = (id: ItemId) => fileName(itemOf(id))
  const { linksTo, wayTo } = waysOf(stores, page)
  const receiving = receivingNews(stores, wayTo)
  const sending = (id: ItemId, device: DeviceId, progress: Progress) => {
    const state = sendingState(progress, (via) => linksTo(device, via))
    // A late report of an item that is gone counts for nothing.
    const transfer = stores.transfers.getState().transfers[id]
    if (!state || !transfer) return
    put({ type: 'sending', id, to: device, state })
    if (transfer.role !== 'sending') return
    putFlows(stores, [flowEvent(itemOf(id), device, progress, wayTo)])
    if (state.status === 'done' && !sentTo(transfer)[device]) uploads.arrived(id, nameOf(id))
    if (state.status === 'failed') void failedText(offered(id), nameOf(id)).then((text) => toaster.bad(text))
  }

  return (event: EngineEvent): void => {
    switch (event.say) {
      case 'receiving':
        return receiving(event)
      case 'unfinished':
        return learnUnfinished(stores, event.files)
      case 'head':
        return learnPack(stores, event.id, event.bytes)
      case 'sending':
        return sending(event.id, event.device, event.progress)
      case 'missed':
        return put({ type: 'missed', id: event.id, by: event.device })
      case 'relay':
        return page()?.live.relay(event.to, event.frame)
      case 'askRelay':
        return tell({ do: 'relayWaits', bytes: page()?.live.unsent ?? 0 })
      case 'memoryOnly':
        toaster.info(memoryOnly())
        return
      case 'link':
        if (!event.opened) page()?.links.fail(event.device, event.key)
        return
      case 'stalled':
        return page()?.links.fail(event.device, event.key)
      case 'bundle':
        return page()?.links.setSize(event.device, event.size)
    }
  }
}

/** Says why a file could not be sent: of many as one (F16), which of them. */
async function failedText(file: Blob | null, name: string): Promise<string> {
  const path = file && packedFrom(file) ? await changedIn(file) : null
  if (path === null) return t`Failed to upload!`
  return t`“${path}” has changed or is gone, so “${name}” can no longer be sent. Share it again.`
}

/** Tells by which ways a transfer goes. */
function waysOf({ devices }: Stores, page: () => EnginePage | null) {
  const linksTo = (device: DeviceId | null | undefined, via: Carrying): Way => {
    const known = device && devices.getState().paths[device]
    const paths = via.links.map((key) => (device && page()?.links.pathOf(device, key)) ?? known)
    const turn = paths.filter((path) => path === 'turn').length
    return { direct: paths.length - turn, turn, server: via.server }
  }
  const wayTo = (device: DeviceId | null | undefined, via: Carrying): TransferWay =>
    via.stored ? 'stored' : linksTo(device, via)
  return { linksTo, wayTo }
}

/** Removes the transfers of items that are gone. */
export function endTransfersOf(gone: readonly ItemId[], { transfers }: Stores): void {
  for (const id of gone) {
    const state = transfers.getState()
    if (!state.transfers[id] && !state.parts.has(id)) continue
    transfers.setState(reduceTransfers(state, { type: 'forgotten', id }), true)
  }
}

/**
 * Frees a transfer that is removed from the list: its state in the worker, its bytes on the disk unless only its beam was
 * left or Undo is offered, and its blob URL, for which the browser would keep the bytes. Call it once.
 */
export function freeWhatGoes(
  stores: Pick<Stores, 'transfers'>,
  tell: (command: EngineCommand) => void,
): void {
  stores.transfers.subscribe((now, before) => {
    for (const id of Object.keys(before.transfers) as ItemId[]) {
      const url = addressIn(before.transfers[id])
      if (url !== null && addressIn(now.transfers[id]) !== url) releaseBlobUrl(url)
    }
  })
  watchGone(stores, (id, isForGood) => tell({ do: isForGood ? 'forget' : 'leave', id }))
}

/**
 * Tells of each transfer that has gone with its item, or with its beam. A deleted item goes for good once its Undo is over, which
 * is told of a part that waited for it as well. Call it once for each part of the page that keeps something of a transfer.
 */
export function watchGone(
  { transfers }: Pick<Stores, 'transfers'>,
  onGone: (id: ItemId, isForGood: boolean) => void,
): void {
  const isKnown = ({ transfers, parts }: TransfersState, id: ItemId) => transfers[id] || parts.has(id)
  transfers.subscribe((now, before) => {
    const isLeft = now.beams !== before.beams
    for (const id of Object.keys(before.transfers) as ItemId[])
      if (!now.transfers[id]) onGone(id, !now.parts.has(id) && (!isLeft || before.held.has(id)))
    for (const id of before.parts) if (!isKnown(now, id)) onGone(id, true)
  })
}

function sendingState(progress: Progress, way: (via: Carrying) => Way): Sending | null {
  switch (progress.status) {
    case 'queued':
    case 'offered':
      return null
    case 'parked':
      return { status: 'parked', sent: progress.bytes }
    case 'paused':
      return { status: 'paused', sent: progress.bytes, by: progress.by }
    case 'moving':
      return {
        status: 'moving',
        sent: progress.bytes,
        bytesPerSecond: progress.bytesPerSecond,
        way: way(progress.via),
      }
    case 'failed':
      return { status: 'failed', why: progress.why }
    case 'cancelled':
      return progress
    case 'done':
      return { status: 'done', way: progress.via ? way(progress.via) : DIRECT }
  }
}

/** Returns the name of a file item, to be shown. */
export function fileName(item: Item | undefined): string {
  return item?.content.kind === 'file' ? item.content.name : t`file`
}
