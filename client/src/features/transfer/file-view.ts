/** The content of a file card, computed from the transfer: one row for each device or copy. */
import { plural, t } from '@lingui/core/macro'
import type { DeviceId } from '../../protocol/bindings'
import type { TransferWay } from '../../protocol/way'
import {
  addressIn,
  type Receiving,
  type Sending,
  type Storing,
  type Transfer,
  waitsAtServer,
} from '../../stores/transfers'
import { failureText } from './failure-text'

export type FileAction = 'receive' | 'save-as' | 'retry' | 'choose' | 'allow' | 'pause' | 'resume' | 'cancel'

export interface FileRow {
  /** The receiving device; null when the file comes here, or waits for any device. */
  readonly device: DeviceId | null
  readonly status: Receiving['status'] | 'waiting' | 'lost'
  /** Bytes transferred; null when a bar would show nothing. */
  readonly bytes: number | null
  readonly bytesPerSecond: number
  readonly way: TransferWay | null
  readonly text: string
  readonly actions: readonly FileAction[]
}

export interface FileView {
  /** The URL of the file on this device, or of its copy at the server, to show or download it. */
  readonly url: string | null
  /** Whether it is received when it is saved, and not before: the server has a sealed copy of it (E7). */
  readonly comesToSave?: boolean
  readonly rows: readonly FileRow[]
}

interface FileFacts {
  size: number
  /** The address of the server's copy; null when only devices have the file. */
  storedUrl: string | null
  /** Whether that copy is sealed (E7). */
  isSealed?: boolean
  sender: string
  nameOf: (device: DeviceId) => string
  /** The names of the other devices that can receive the file and have not. */
  takers: readonly string[]
  canSaveAs: boolean
  /**
   * Whether it is many files (F16), and whether their list is known. They are taken apart here, and cannot be saved as they are. Without
   * the list they cannot be chosen again either.
   */
  pack?: 'listed' | 'unlisted' | undefined
}

const PLAIN: Omit<FileRow, 'status' | 'text'> = {
  device: null,
  bytes: null,
  bytesPerSecond: 0,
  way: null,
  actions: [],
}

export function fileView(transfer: Transfer | undefined, facts: FileFacts): FileView {
  if (transfer?.role === 'storing') return { url: transfer.url, rows: [storingRow(transfer.state, facts)] }
  const stored = storedAt(transfer, facts)
  if (stored !== null) return { url: stored, rows: [storingRow({ status: 'done' }, facts)] }
  const { storedUrl, isSealed } = facts
  if (isSealed && waitsAtServer({ url: storedUrl, seal: true }, transfer))
    return { url: null, comesToSave: true, rows: [storingRow({ status: 'done' }, facts)] }
  if (!transfer) return { url: null, rows: [] }
  if (transfer.role === 'lost') return { url: null, rows: lostRows(transfer, facts) }
  if (transfer.role === 'receiving') {
    const { state } = transfer
    return { url: state.status === 'done' ? state.url : null, rows: [receivingRow(state, facts)] }
  }
  const rows = sendingRows(transfer.to, facts)
  const waiting: FileRow = { ...PLAIN, status: 'waiting', bytes: 0, text: waitingText(facts.takers) }
  return { url: transfer.url, rows: rows.length === 0 ? [waiting] : rows }
}

/** Returns where a file of which the server has a copy can be read; null where it has none, or where the file is to come first. */
function storedAt(transfer: Transfer | undefined, { storedUrl, isSealed }: FileFacts): string | null {
  if (storedUrl === null || hasBegun(transfer)) return null
  return addressIn(transfer) ?? (isSealed ? null : storedUrl)
}

/** Whether a part of the file has come, so that only the rest is received, from wherever it comes (F22). */
function hasBegun(transfer: Transfer | undefined): boolean {
  if (transfer?.role !== 'receiving') return false
  const { state } = transfer
  return 'received' in state && (state.received > 0 || state.status === 'moving')
}

/** Says whose turn it is: that of a person at a device that is here, or that of a device to come. */
function waitingText(takers: readonly string[]): string {
  const [deviceName] = takers
  if (deviceName === undefined) return t`Waiting for a device`
  const count = takers.length
  return plural(count, {
    1: `Offered to ${deviceName}`,
    one: 'Offered to # device',
    other: 'Offered to # devices',
  })
}

/** A file that a reload took from here is no loss while every device that could receive it has it. */
function lostRows({ asks, to }: Extract<Transfer, { role: 'lost' }>, facts: FileFacts): readonly FileRow[] {
  const rows = sendingRows(to, facts)
  return rows.length > 0 && facts.takers.length === 0 ? rows : [lostRow(asks, facts), ...rows]
}

function lostRow(asks: boolean, { pack }: FileFacts): FileRow {
  const actions: readonly FileAction[] = asks ? ['allow'] : pack === 'unlisted' ? [] : ['choose']
  return { ...PLAIN, status: 'lost', text: pack ? lostFilesText(asks) : lostFileText(asks), actions }
}

function lostFileText(asks: boolean): string {
  return asks
    ? t`This page was reloaded. It may read the file again once you allow it.`
    : t`This page was reloaded, so the file is no longer here.`
}

/** What a card says of several files that a reload took from it. */
export function lostFilesText(asks: boolean): string {
  return asks
    ? t`This page was reloaded. It may read the files again once you allow it.`
    : t`This page was reloaded, so the files are no longer here.`
}

function receivingRow(state: Receiving, facts: FileFacts): FileRow {
  const row = { ...PLAIN, status: state.status }
  const ask: readonly FileAction[] = facts.canSaveAs && !facts.pack ? ['receive', 'save-as'] : ['receive']
  const deviceName = facts.sender
  switch (state.status) {
    case 'looking':
      return { ...row, text: '' }
    case 'offered':
      return { ...row, text: t`From ${deviceName}`, actions: ask }
    case 'queued':
      return {
        ...row,
        bytes: state.received,
        text: waitingToCome(state.received),
        actions: ['pause', 'cancel'],
      }
    case 'moving':
      return { ...row, ...moving(state, state.received), actions: ['pause', 'cancel'] }
    case 'parked':
      return {
        ...row,
        bytes: state.received,
        text: parkedText(state, facts),
        actions: ['pause', 'cancel'],
      }
    case 'paused':
      return { ...row, bytes: state.received, ...paused(state.by, deviceName) }
    case 'failed':
      return { ...row, bytes: state.received, text: failureText(state.why), actions: ['retry', 'cancel'] }
    case 'cancelled':
      // The sender still offers the file: it stopped this transfer, and would have deleted the item otherwise.
      return {
        ...row,
        text: state.by === 'me' ? t`Cancelled` : t`Cancelled by ${deviceName}`,
        actions: ask,
      }
    case 'done':
      return {
        ...row,
        bytes: facts.size,
        way: state.way,
        text: state.isKept ? t`Complete` : t`Complete, but only in this tab`,
      }
  }
}

function waitingToCome(received: number): string {
  return received > 0 ? t`Waiting to go on` : t`Waiting to start`
}

/** What has a sealed copy waits for its device no more than for the server. */
function parkedText(
  { received, needsDirect }: Extract<Receiving, { status: 'parked' }>,
  facts: FileFacts,
): string {
  const deviceName = facts.sender
  if (facts.isSealed && facts.storedUrl !== null) return waitingToCome(received)
  return needsDirect ? t`Waiting for a direct connection to ${deviceName}` : t`Waiting for ${deviceName}`
}

function sendingRows(to: Readonly<Record<DeviceId, Sending>>, facts: FileFacts): readonly FileRow[] {
  return Object.entries(to).map(([device, state]) => sendingRow(device as DeviceId, state, facts))
}

function sendingRow(device: DeviceId, state: Sending, facts: FileFacts): FileRow {
  const row = { ...PLAIN, device, status: state.status }
  const deviceName = facts.nameOf(device)
  switch (state.status) {
    case 'moving':
      return { ...row, ...moving(state, state.sent), actions: ['pause', 'cancel'] }
    case 'parked':
      return { ...row, bytes: state.sent, text: t`Waiting for ${deviceName}`, actions: ['pause', 'cancel'] }
    case 'paused':
      return { ...row, bytes: state.sent, ...paused(state.by, deviceName) }
    case 'failed':
      return { ...row, text: failureText(state.why) }
    case 'cancelled':
      return { ...row, text: state.by === 'me' ? t`Cancelled` : t`Cancelled by ${deviceName}` }
    case 'done':
      return { ...row, bytes: facts.size, way: state.way, text: t`Complete` }
  }
}

function storingRow(state: Storing, { size }: FileFacts): FileRow {
  const row = { ...PLAIN, status: state.status }
  return state.status === 'done'
    ? { ...row, bytes: size, way: 'stored', text: t`Complete` }
    : { ...row, bytes: state.sent, bytesPerSecond: state.bytesPerSecond, text: '', actions: ['cancel'] }
}

function moving(state: { bytesPerSecond: number; way: TransferWay }, bytes: number) {
  return { bytes, bytesPerSecond: state.bytesPerSecond, way: state.way, text: '' }
}

/** Only who has paused a transfer goes on with it. What both have paused goes on when both do (F18). */
function paused(by: 'me' | 'them', deviceName: string): Pick<FileRow, 'text' | 'actions'> {
  if (by === 'me') return { text: t`Paused`, actions: ['resume', 'cancel'] }
  return { text: t`Paused by ${deviceName}`, actions: ['pause', 'cancel'] }
}

/** Whether a file can be saved in one step: it is here, or the server has a copy of it. */
export function canSave({ url, comesToSave }: FileView): boolean {
  return url !== null || comesToSave === true
}

/** Whether the whole file was received from another device. For an own file a download is rarely useful. */
export function isReceived(view: FileView): boolean {
  return view.rows.some((row) => row.status === 'done' && row.device === null)
}

/** Returns the transferred part, from 0 to 1. An empty file counts as transferred. */
export function fraction(bytes: number, size: number): number {
  return size === 0 ? 1 : Math.min(1, bytes / size)
}

/** Returns the bytes transferred of a file with a single moving row; null in any other case. */
export function partOf({ rows }: FileView): number | null {
  const [row, ...others] = rows
  return row && others.length === 0 && row.status !== 'done' ? row.bytes : null
}

/** Whether a row of the file names its sender already: it waits for a tap. */
export function namesSender(view: FileView): boolean {
  return view.rows.some(({ actions }) => actions.includes('receive'))
}

/** Whether the one transfer of a file can be stopped, so that its buttons stand beside the name: only its sizes fit there. */
export function isStoppable({ rows: [row, ...others] }: FileView): boolean {
  return row !== undefined && others.length === 0 && row.actions.includes('cancel')
}
