/** What every upload of a file to the server's store has in common (F9). */
import type { BeamId, UploadedFile } from '../protocol/bindings'

export interface UploadEvents {
  /** Bytes of the file that were sent so far. */
  onProgress(sent: number): void
  /** Called once, unless cancelled. */
  onEnd(end: UploadEnd): void
}

export type UploadEnd =
  | { status: 'stored'; file: UploadedFile }
  /** The server refuses this file: not a medium, too large, or no room in the quota. */
  | { status: 'refused' }
  /** No answer, or an answer that does not concern the file: a later attempt may succeed. */
  | { status: 'unreachable' }

/** The beam of an upload. A saved or kept one stores files of any type; for another, the server takes media. */
export interface UploadTarget {
  readonly beam: BeamId
  readonly isStored: boolean
}

/** Sends a file. The returned function cancels. */
export type Upload = (file: File, target: UploadTarget, events: UploadEvents) => () => void

/** An upload that sends nothing for so many milliseconds has lost its network. */
export const PROGRESS_WITHIN_MS = 30_000

/** Refusals that may pass (RFC 9110, 15.5; RFC 6585, 4; RFC 4918, 11.3). 404: the beam has just got another id. */
const REFUSED_FOR_NOW: readonly number[] = [404, 408, 409, 423, 429]
/** The quota is full (RFC 4918, 11.5). */
const NO_ROOM = 507

/** Whether a status of an answer means that a later attempt would be refused too. */
export function isRefusal(status: number): boolean {
  return status === NO_ROOM || (status >= 400 && status < 500 && !REFUSED_FOR_NOW.includes(status))
}

/** Uploads after `makeSure` has settled, so that a file with a stale login is not counted as an anonymous one. */
export function uploadAfter(makeSure: () => Promise<unknown>, send: Upload): Upload {
  return (file, target, events) => {
    let cancel: (() => void) | null = null
    let isCancelled = false
    const start = () => {
      if (!isCancelled) cancel = send(file, target, events)
    }
    void makeSure().then(start, start)
    return () => {
      isCancelled = true
      cancel?.()
    }
  }
}
