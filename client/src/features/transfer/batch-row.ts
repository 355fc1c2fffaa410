/** Sums up the transfers of several files, or of one file to several devices, as one row. */
import { t } from '@lingui/core/macro'
import { type FileRow, type FileView, isReceived, lostFilesText } from './file-view'

export interface FileInBatch {
  /** In bytes. */
  readonly size: number
  readonly view: FileView
}

export interface BatchRow {
  readonly row: FileRow
  /** The bytes of the files that take part in `row`: those that are transferred, or were. */
  readonly size: number
  /** Files that can be received, or received again after a failure. */
  readonly receivable: number
  /** Files that are whole on this device, and came from another. */
  readonly received: number
}

/** The state of one of them is that of all, the first of these that any has. */
const RANKS: readonly FileRow['status'][] = [
  'moving',
  'queued',
  'parked',
  'paused',
  'failed',
  'offered',
  'cancelled',
  'lost',
  'waiting',
  'looking',
  'done',
]

/** Sums up files. Those that nobody has asked for do not count for the progress. */
export function batchRow(files: readonly FileInBatch[]): BatchRow {
  const rows = files.flatMap(({ size, view }) => view.rows.map((row) => ({ row, size })))
  const status = RANKS.find((rank) => rows.some(({ row }) => row.status === rank)) ?? 'done'
  const receivable = files.filter(({ view }) => can(view, 'receive') || can(view, 'retry')).length
  const received = files.filter(({ view }) => isReceived(view)).length
  const part = progressOf(files)
  const isBegun = isUnderWay(status)
  const row: FileRow = {
    device: null,
    status,
    bytes: isBegun ? part.bytes : status === 'done' && rows.length > 0 ? part.size : null,
    bytesPerSecond: part.bytesPerSecond,
    way: wayOf(rows.map((one) => one.row)),
    text: textOf(
      status,
      rows.map((one) => one.row),
      { received, count: files.length },
    ),
    actions: actionsOf(files),
  }
  return { row, size: part.size, receivable, received }
}

/** Whether a part of it is here or there, and the rest is to come. */
export function isUnderWay(status: FileRow['status']): boolean {
  return status === 'moving' || status === 'queued' || status === 'parked' || status === 'paused'
}

/** What goes on can be paused first. Of what waits, the part that was paused here is gone on with, before the rest is paused too. */
function actionsOf(files: readonly FileInBatch[]): FileRow['actions'] {
  const has = (action: FileRow['actions'][number]) => files.some(({ view }) => can(view, action))
  const isCancellable = files.some(({ view }) => can(view, 'cancel') && !can(view, 'retry'))
  const goesOn = files.some(({ view }) =>
    view.rows.some(({ status, actions }) => status !== 'paused' && actions.includes('pause')),
  )
  const turning = (['resume', 'pause'] as const).filter((turn) => has(turn))
  return isCancellable ? [...(goesOn ? ['pause' as const] : turning.slice(0, 1)), 'cancel'] : []
}

function can({ rows }: FileView, action: FileRow['actions'][number]): boolean {
  return rows.some(({ actions }) => actions.includes(action))
}

/** A file that goes to several devices counts once: by the mean of what they have of it, and of their speeds. */
function progressOf(files: readonly FileInBatch[]): { bytes: number; size: number; bytesPerSecond: number } {
  const sum = { bytes: 0, size: 0, bytesPerSecond: 0 }
  for (const { size, view } of files) {
    const rows = view.rows.filter(({ bytes, status }) => bytes !== null && status !== 'waiting')
    if (rows.length === 0) continue
    sum.size += size
    for (const { bytes, bytesPerSecond } of rows) {
      sum.bytes += (bytes ?? 0) / rows.length
      sum.bytesPerSecond += bytesPerSecond / rows.length
    }
  }
  return { ...sum, bytes: Math.floor(sum.bytes) }
}

function wayOf(rows: readonly FileRow[]): FileRow['way'] {
  const moving = rows.filter(({ status }) => status === 'moving')
  const isOver = rows.every(({ status }) => status === 'done')
  return moving.length > 0 ? together(moving) : isOver ? together(rows) : null
}

/** The way of files that go over the same links, or over several: all that carry any of them. */
function together(rows: readonly FileRow[]): FileRow['way'] {
  const ways = rows.flatMap(({ way }) => way ?? [])
  const live = ways.filter((way) => way !== 'stored')
  if (live.length === 0) return ways[0] ?? null
  return {
    direct: Math.max(...live.map(({ direct }) => direct)),
    turn: Math.max(...live.map(({ turn }) => turn)),
    server: live.some(({ server }) => server),
  }
}

function textOf(
  status: FileRow['status'],
  rows: readonly FileRow[],
  { received, count }: { received: number; count: number },
): string {
  const isPart = received > 0 && received < count
  if (isPart && (status === 'offered' || status === 'cancelled')) return t`${received} of ${count} received`
  const [first, ...more] = rows.filter((row) => row.status === status)
  if (status === 'lost' && first && more.length > 0) return lostFilesText(first.actions.includes('allow'))
  return first?.text ?? ''
}
