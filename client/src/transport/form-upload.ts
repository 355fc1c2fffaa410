/**
 * Uploads of a file in one form (H40, H44). The only file that uses `XMLHttpRequest`: `fetch` reports no progress.
 */
import * as v from 'valibot'
import { BEAM_PARAM } from '../protocol/beam-link'
import { parseJson } from '../protocol/envelope'
import { uploadedFileSchema } from '../protocol/schemas'
import { isRefusal, PROGRESS_WITHIN_MS, type Upload, type UploadEnd } from './upload'

/** Once everything is sent, the server answers within so many milliseconds: it may still have to copy it to a bucket. */
export const ANSWER_WITHIN_MS = 120_000

/** Sends the file and binds it to a beam, whose end is also the upload's end. */
export const uploadForm: Upload = (file, { beam, isStored }, events) => {
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

function endOf(status: number, body: string): UploadEnd {
  if (status === 201) {
    const parsed = v.safeParse(uploadedFileSchema, parseJson(body))
    return parsed.success ? { status: 'stored', file: parsed.output } : { status: 'unreachable' }
  }
  return { status: isRefusal(status) ? 'refused' : 'unreachable' }
}
