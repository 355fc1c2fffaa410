/** A batch as its cards show it: each file with its transfers, and their sum. */
import { useMemo } from 'react'
import { useStore } from 'zustand'
import { useShallow } from 'zustand/react/shallow'
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

export function useTransferActions({ files }: BatchView): TransferActions {
  const { actions } = useApp()
  const each = (can: FileAction, act: (item: FileItem) => void, among = files) => {
    for (const { item, view } of among) if (view.rows.some((row) => row.actions.includes(can))) act(item)
  }
  const receive = ({ id }: FileItem) => actions.receive(id)
  return {
    receive() {
      each('receive', receive)
      each('retry', receive)
    },
    cancel: () => each('cancel', ({ id }) => actions.cancel(id)),
    // The last first: a file that is paused gives its turn to the next, which would begin for a moment.
    pause: () => each('pause', ({ id }) => actions.pause(id), files.toReversed()),
    resume: () => each('resume', ({ id }) => actions.resume(id)),
  }
}
