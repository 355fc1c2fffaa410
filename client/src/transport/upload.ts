/**
 * Uploads of files to the server's store (H40, H44, H32). The only file that uses `XMLHttpRequest`: `fetch` reports no progress.
 */
import * as v from 'valibot'
import { BEAM_PARAM } from '../protocol/beam-link'
import type { BeamId, UploadedFile } from '../protocol/bindings'
import { parseJson } from '../protocol/envelope'
import { uploadedFileSchema } from '../protocol/schemas'

export interface UploadEvents {
  /** Bytes that were sent so far. */
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

/** Refusals that may pass (RFC 9110, 15.5; RFC 6585, 4). 404: the beam has just got another id. */
const REFUSED_FOR_NOW: readonly number[] = [404, 408, 429]
/** The quota is full (RFC 4918, 11.5). */
const NO_ROOM = 507

/** The beam of an upload. A saved or kept one stores files of any type; for another, the server takes media. */
export interface UploadTarget {
  readonly beam: BeamId
  readonly isStored: boolean
}

/** Sends a file. The returned function cancels. */
export type Upload = (file: File, target: UploadTarget, events: UploadEvents) => () => void

/** An upload that sends nothing for so many milliseconds has lost its network. */
export const PROGRESS_WITHIN_MS = 30_000
/** Once everything is sent, the server answers within so many milliseconds: it may still have to copy it to a bucket. */
export const ANSWER_WITHIN_MS = 120_000

/** Sends the file and binds it to a beam, whose end is also the upload's end. */
export const upload: Upload = (file, { beam, isStored }, events) => {
  const request = new XMLHttpRequest()
  request.open('POST', isStored ? `/api/beams/${beam}/files/` : `/api/upload/?${BEAM_PARAM}=${beam}`)
  request.setRequestHeader('accept', 'application/json')
  const end = (end: UploadEnd) => {
    clearTimeout(timer)
    events.onEnd(end)
  }
  const endAfter = (ms: number) =>
    setTimeout(() => {
      request.abort()
      events.onEnd({ status: 'unreachable' })
    }, ms)
  let timer = endAfter(PROGRESS_WITHIN_MS)
  const heard = (within: number) => {
    clearTimeout(timer)
    timer = endAfter(within)
  }
  request.upload.onprogress = ({ loaded }) => {
    heard(PROGRESS_WITHIN_MS)
    events.onProgress(Math.min(loaded, file.size))
  }
  request.upload.onload = () => heard(ANSWER_WITHIN_MS)
  request.onload = () => end(endOf(request.status, request.responseText))
  request.onerror = () => end({ status: 'unreachable' })
  const form = new FormData()
  form.append('file', file)
  request.send(form)
  return () => {
    clearTimeout(timer)
    request.abort()
  }
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

function endOf(status: number, body: string): UploadEnd {
  if (status === 201) {
    const parsed = v.safeParse(uploadedFileSchema, parseJson(body))
    return parsed.success ? { status: 'stored', file: parsed.output } : { status: 'unreachable' }
  }
  const isRefused = status === NO_ROOM || (status >= 400 && status < 500 && !REFUSED_FOR_NOW.includes(status))
  return { status: isRefused ? 'refused' : 'unreachable' }
}
