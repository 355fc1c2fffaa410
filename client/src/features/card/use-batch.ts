/** A batch as its cards show it: each file with its transfers, and their sum. */
import { useMemo } from 'react'
import { useStore } from 'zustand'
import { useShallow } from 'zustand/react/shallow'
import type { ItemId } from '../../protocol/bindings'
import type { Media } from '../../protocol/magic'
import type { Batch, FileItem } from '../../stores/cards'
import { useApp } from '../actions'
import { mediaOf } from '../item/describe'
import { type BatchRow, batchRow } from '../transfer/batch-row'
import type { FileAction, FileView } from '../transfer/file-view'
import { useFiles } from '../transfer/use-file'

export interface BatchFile {
  readonly item: FileItem
  readonly view: FileView
  /** How the file can be shown; null while it cannot. */
  readonly media: Media | null
}

export interface BatchView extends BatchRow {
  readonly files: readonly BatchFile[]
  /** The bytes of all files. */
  readonly total: number
}

export function useBatch({ content: { files } }: Batch): BatchView {
  return useFilesAsOne(files)
}

/** Several files with their transfers, and the sum of these. */
export function useFilesAsOne(files: readonly FileItem[]): BatchView {
  const views = useFiles(files)
  const kinds = useStore(
    useApp().stores.media,
    useShallow((state) => files.map(({ id }) => state.kinds[id])),
  )
  return useMemo(() => {
    const shown = files.map((item, at): BatchFile => {
      const view = views[at] ?? { url: null, rows: [] }
      return { item, view, media: view.url === null ? null : mediaOf(item.content, kinds[at]) }
    })
    const sum = batchRow(shown.map(({ item, view }) => ({ size: item.content.size, view })))
    return { ...sum, files: shown, total: files.reduce((bytes, { content }) => bytes + content.size, 0) }
  }, [files, views, kinds])
}

/** What can be done with the transfers of several files. */
export interface TransferActions {
  /** Receives what can be received, and tries again what failed. */
  receive(): void
  cancel(): void
  pause(): void
  resume(): void
}

export interface BatchActions extends TransferActions {
  save(): void
  remove(): void
}

export function useBatchActions(batch: Batch, view: BatchView): BatchActions {
  const { actions } = useApp()
  return {
    ...useTransferActions(view),
    save: () => void actions.saveAll(batch.id),
    remove: () => actions.deleteItem(batch.id),
  }
}

/** @param all the items whose files are meant; those of the view alone where it is not given */
export function useTransferActions(
  { files }: BatchView,
  all: readonly Pick<FileItem, 'id'>[] = files.map(({ item }) => item),
): TransferActions {
  const { actions, stores } = useApp()
  const thatCan = (can: FileAction) =>
    new Set(files.flatMap(({ item, view }) => (hasAction(view, can) ? [item.id] : [])))
  const receive = (id: ItemId) => actions.receive(id)
  /** A device says nothing of the files that wait for their turn there: where any stops or goes on, all that go from here do. */
  const turn = (action: 'cancel' | 'pause' | 'resume') => {
    const able = thatCan(action)
    const { transfers } = stores.transfers.getState()
    const isSent = (id: ItemId) => transfers[id]?.role === 'sending'
    const isAnySent = [...able].some(isSent)
    const meant = all.filter(({ id }) => able.has(id) || (isAnySent && isSent(id)))
    // The last first: a file that is paused gives its turn to the next, which would begin for a moment.
    for (const { id } of action === 'pause' ? meant.toReversed() : meant) actions[action](id)
  }
  return {
    receive: () => [...thatCan('receive'), ...thatCan('retry')].forEach(receive),
    cancel: () => turn('cancel'),
    pause: () => turn('pause'),
    resume: () => turn('resume'),
  }
}

function hasAction({ rows }: FileView, action: FileAction): boolean {
  return rows.some(({ actions }) => actions.includes(action))
}
