/** Chooses how a file is uploaded: a small one in one request, another in pieces that resume (F9, H44, H45). */
import { uploadForm } from './form-upload'
import type { Lapsed, Upload, UploadEnd } from './upload'

/** Up to so many bytes, to send all again costs less than the requests of an upload in pieces. */
const FORM_BYTES = 4 * 1024 * 1024

/** Sends the file and binds it to a beam, whose end is also the upload's end. */
export const upload: Upload<UploadEnd | Lapsed> = (file, target, events) => {
  const send = target.isStored && file.size > FORM_BYTES ? uploadPieces : uploadForm
  return send(file, target, events)
}

/** An upload in pieces, whose code is loaded when it is needed. */
const uploadPieces: Upload<UploadEnd | Lapsed> = (file, target, events) => {
  const loading = new AbortController()
  let cancel = () => loading.abort()
  const start = async () => {
    const { uploadInPieces } = await import('./resumable-upload')
    if (!loading.signal.aborted) cancel = uploadInPieces(file, target, events)
  }
  start().catch(() => events.onEnd({ status: 'unreachable' }))
  return () => cancel()
}
