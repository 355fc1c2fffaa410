/** A file on its way to the server's store (H40). The only file that says `XMLHttpRequest`: `fetch` tells no progress. */
import * as v from 'valibot'
import { BEAM_PARAM } from '../protocol/beam-link'
import type { BeamId, UploadedFile } from '../protocol/bindings'
import { parseJson } from '../protocol/envelope'

const uploadedFile = v.object({
  id: v.string(),
  url: v.string(),
  name: v.string(),
  size: v.number(),
  type: v.string(),
  expires_at: v.nullable(v.number()),
})

export interface UploadEvents {
  /** Bytes that have left this device. */
  onProgress(sent: number): void
  /** Once, unless cancelled: what the server keeps, or null for any failure. */
  onEnd(stored: UploadedFile | null): void
}

/** Sends a file; what it returns cancels that. */
export type Upload = (file: File, beam: BeamId, events: UploadEvents) => () => void

/** Sends the file and binds it to a beam, with which it ends. */
export const upload: Upload = (file, beam, events) => {
  const request = new XMLHttpRequest()
  request.open('POST', `/api/upload/?${BEAM_PARAM}=${beam}`)
  request.setRequestHeader('accept', 'application/json')
  request.upload.onprogress = ({ loaded }) => events.onProgress(Math.min(loaded, file.size))
  request.onload = () => events.onEnd(request.status === 201 ? read(request.responseText) : null)
  request.onerror = () => events.onEnd(null)
  request.ontimeout = () => events.onEnd(null)
  const form = new FormData()
  form.append('file', file)
  request.send(form)
  return () => request.abort()
}

/** The same once something is done, whatever comes of that: nobody's files are to be taken for a stranger's. */
export function uploadAfter(makeSure: () => Promise<unknown>, send: Upload): Upload {
  return (file, beam, events) => {
    let cancel: (() => void) | null = null
    let isCancelled = false
    const start = () => {
      if (!isCancelled) cancel = send(file, beam, events)
    }
    void makeSure().then(start, start)
    return () => {
      isCancelled = true
      cancel?.()
    }
  }
}

function read(body: string): UploadedFile | null {
  const parsed = v.safeParse(uploadedFile, parseJson(body))
  return parsed.success ? parsed.output : null
}
