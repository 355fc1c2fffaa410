/** What every upload of a file to the server's store has in common (F9). */
import type { BeamId, ItemId, UploadedFile } from '../protocol/bindings'
import type { FileSeal } from '../protocol/item'
import { GLANCE_WITHIN_MS, within } from './within'

export interface UploadEvents<End = UploadEnd> {
  /** Bytes of the file that were sent so far. */
  onProgress(sent: number): void
  /** Called once, unless cancelled. */
  onEnd(end: End): void
}

export type UploadEnd =
  | { status: 'stored'; file: UploadedFile }
  /** The server refuses this file: not a medium, too large, or no room in the quota. */
  | { status: 'refused' }
  /** No answer, or an answer that does not concern the file: a later attempt may succeed. */
  | { status: 'unreachable' }
  /** The browser does not read the file any more: it was changed or removed since it was chosen. */
  | { status: 'unreadable' }

/** The server has ended what had come: the file is to be sent from its beginning. */
export interface Lapsed {
  status: 'lapsed'
}

/** The item and the beam of an upload. A saved or kept beam stores files of any type; for another, the server takes media. */
export interface UploadTarget {
  readonly id: ItemId
  readonly beam: BeamId
  readonly isStored: boolean
  /** What seals the file before it goes to the server (E7); absent for one that is stored as it is. */
  readonly seal?: FileSeal | undefined
}

/** The name and the type of all files that the server stores sealed. */
export const SEALED = { name: 'sealed', type: 'application/octet-stream' } as const

/** Sends a file. The returned function cancels. */
export type Upload<End = UploadEnd> = (
  file: File,
  target: UploadTarget,
  events: UploadEvents<End>,
) => () => void

/** An upload that sends nothing for so many milliseconds has lost its network. */
export const PROGRESS_WITHIN_MS = 30_000

/**
 * Refusals that may pass (RFC 9110, 15.5; RFC 6585, 4; RFC 4918, 11.3). 404: the beam has just got another id, or a proxy
 * has lost its server, as with 410.
 */
const REFUSED_FOR_NOW: readonly number[] = [404, 408, 409, 410, 423, 429]
/** The quota is full (RFC 4918, 11.5). */
const NO_ROOM = 507

/** Whether a status of an answer means that a later attempt would be refused too. */
export function isRefusal(status: number): boolean {
  return status === NO_ROOM || (status >= 400 && status < 500 && !REFUSED_FOR_NOW.includes(status))
}

/**
 * Uploads after `makeSure` has settled, so that a file with a stale login is not counted as an anonymous one. What lapsed
 * at the server is sent once more in the same way, and a file that cannot be read is told from a server that does not answer.
 */
export function uploadAfter(makeSure: () => Promise<unknown>, send: Upload<UploadEnd | Lapsed>): Upload {
  return (file, target, { onProgress, onEnd }) => {
    let cancel: (() => void) | null = null
    let isCancelled = false
    let hasBegunAnew = false
    const start = () => {
      if (!isCancelled) cancel = send(file, target, { onProgress, onEnd: ended })
    }
    const begin = () => void makeSure().then(start, start)
    const ended = (end: UploadEnd | Lapsed) => {
      if (end.status === 'lapsed' && !hasBegunAnew) {
        hasBegunAnew = true
        return begin()
      }
      if (end.status !== 'lapsed' && end.status !== 'unreachable') return onEnd(end)
      void isReadable(file).then((readable) => {
        if (!isCancelled) onEnd({ status: readable ? 'unreachable' : 'unreadable' })
      })
    }
    begin()
    return () => {
      isCancelled = true
      cancel?.()
    }
  }
}

/**
 * Whether the browser still reads a file: it refuses one that was changed or removed on the disk. One of which nothing comes may be
 * read later.
 */
async function isReadable(file: File): Promise<boolean> {
  const first = file.slice(0, 1)
  const isRead = first.arrayBuffer().then(
    ({ byteLength }) => byteLength === first.size,
    () => false,
  )
  return within(GLANCE_WITHIN_MS, isRead).catch(() => true)
}
