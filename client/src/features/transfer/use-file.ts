import { t } from '@lingui/core/macro'
import { useMemo, useState } from 'react'
import { useStore } from 'zustand'
import { useShallow } from 'zustand/react/shallow'
import type { DeviceId } from '../../protocol/bindings'
import type { Item } from '../../protocol/item'
import type { FileItem } from '../../stores/cards'
import { type DevicesState, deviceName, fileTakers } from '../../stores/devices'
import { sentTo, type Transfer } from '../../stores/transfers'
import { useApp } from '../actions'
import { type FileAction, type FileRow, type FileView, fileView, fraction } from './file-view'
import { formatSpeed } from './format-bytes'
import { formatTimeLeft } from './format-duration'
import { NO_ESTIMATE, nextEstimate } from './time-left'
import { usePack } from './use-pack'

/** Returns the current file card of an item. */
export function useFile(item: Item, size: number): FileView {
  const { stores, actions } = useApp()
  const transfer = useStore(stores.transfers, (state) => state.transfers[item.id])
  const sender = useStore(stores.devices, (state) => deviceName(state, item.from))
  const takers = useStore(
    stores.devices,
    useShallow((state) => takersOf(state, item, transfer)),
  )
  const nameOf = (id: DeviceId) => deviceName(stores.devices.getState(), id)
  const content = item.content.kind === 'file' ? item.content : null
  const list = usePack(item)
  const isListed = list !== undefined && list !== 'unreadable'
  return fileView(transfer, {
    size,
    storedUrl: content?.url ?? null,
    isSealed: content?.seal !== undefined,
    sender,
    nameOf,
    takers,
    canSaveAs: actions.canSaveAs,
    pack: content?.manifest && (isListed ? 'listed' : 'unlisted'),
  })
}

/**
 * Returns the current file cards of several items, in their order. That of a file whose transfer is the same stays the
 * same object, so that of many files only those that move are rendered again.
 */
export function useFiles(files: readonly FileItem[]): readonly FileView[] {
  const { stores, actions } = useApp()
  const transfers = useStore(
    stores.transfers,
    useShallow((state) => files.map(({ id }) => state.transfers[id])),
  )
  const devices = useStore(stores.devices)
  const viewOf = useMemo(() => {
    const known = new WeakMap<FileItem, { transfer: Transfer | undefined; view: FileView }>()
    const nameOf = (id: DeviceId | null) => deviceName(devices, id)
    return (file: FileItem, transfer: Transfer | undefined): FileView => {
      const old = known.get(file)
      if (old && old.transfer === transfer) return old.view
      const { size, url: storedUrl, seal } = file.content
      const takers = takersOf(devices, file, transfer)
      const sender = nameOf(file.from)
      const view = fileView(transfer, {
        size,
        storedUrl,
        isSealed: seal !== undefined,
        sender,
        nameOf,
        takers,
        canSaveAs: actions.canSaveAs,
      })
      known.set(file, { transfer, view })
      return view
    }
  }, [devices, actions.canSaveAs])
  return useMemo(() => files.map((file, at) => viewOf(file, transfers[at])), [files, transfers, viewOf])
}

/**
 * The names of the devices to which a file is offered and that have not received it: none before the server has told them
 * of it.
 */
function takersOf(
  devices: DevicesState,
  { seq, to, content }: Item,
  transfer: Transfer | undefined,
): readonly string[] {
  if (seq === null) return []
  const have = sentTo(transfer)
  const isSealed = content.kind === 'file' && content.seal !== undefined
  return fileTakers(devices, { to, isSealed }).flatMap(({ device_id: id }) =>
    have[id] ? [] : [deviceName(devices, id)],
  )
}

/** Returns the handler of a file card's buttons. */
export function useFileAction(item: Item): (action: FileAction, row: FileRow) => void {
  const { actions } = useApp()
  return (action, row) => {
    switch (action) {
      case 'receive':
      case 'retry':
        return actions.receive(item.id)
      case 'save-as':
        return void actions.saveAs(item.id)
      case 'choose':
        // The button has a picker of its own.
        return
      case 'allow':
        return actions.offerKept(item.id)
      case 'pause':
      case 'resume':
      case 'cancel':
        return row.device ? actions[action](item.id, row.device) : actions[action](item.id)
    }
  }
}

/**
 * Returns the texts below the bar: speed or state on the left, time left or percent on the right, and the seconds that are
 * left; null while they are not known.
 */
export function useProgressTexts(row: FileRow, size: number) {
  const seconds = useTimeLeft(row, size)
  const [hasMoved, setHasMoved] = useState(false)
  if (moves(row) && !hasMoved) setHasMoved(true)
  return { left: leftText(row, hasMoved), right: rightText(row, size, seconds), seconds }
}

/** Whether bytes come or go at the moment. */
function moves({ status, bytesPerSecond }: FileRow): boolean {
  return status === 'moving' && bytesPerSecond >= 1
}

/** Returns the seconds that a transfer still takes; null while that is not known. */
function useTimeLeft(row: FileRow, size: number): number | null {
  const [estimate, setEstimate] = useState(NO_ESTIMATE)
  const { bytes } = row
  // No time left is told while nothing moves: it would be a guess that grows.
  const isMoving = bytes !== null && moves(row)
  const next = isMoving ? nextEstimate(estimate, size - bytes, performance.now()) : NO_ESTIMATE
  if (next !== estimate) setEstimate(next)
  return next.told
}

/** A speed is told once there is one. Without a byte for seconds it is gone again, as when the network is (R10). */
function leftText(row: FileRow, hasMoved: boolean): string {
  if (moves(row)) return formatSpeed(row.bytesPerSecond)
  return row.status === 'moving' && hasMoved ? t`Waiting to go on` : row.text
}

/** @param seconds that the transfer still takes; null where that is not known, or not to be told */
export function rightText({ status, bytes }: FileRow, size: number, seconds: number | null): string {
  if (bytes === null || status === 'done' || status === 'waiting') return ''
  if (seconds !== null) return formatTimeLeft(seconds)
  const percent = Math.floor(fraction(bytes, size) * 100)
  return t`${percent} %`
}
