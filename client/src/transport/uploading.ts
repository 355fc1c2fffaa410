/** Chooses how a file is uploaded: a small one in one request, another in pieces that resume (F9, H44, H45). */
import type { FileSeal } from '../protocol/item'
import { uploadForm } from './form-upload'
import { SealedFile } from './sealed-file'
import { type Lapsed, SEALED, type Upload, type UploadEnd } from './upload'

/** Up to so many bytes, to send all again costs less than the requests of an upload in pieces. */
const FORM_BYTES = 4 * 1024 * 1024
/** A file for a form is sealed in parts of so many bytes. */
const PART_BYTES = 8 * 1024 * 1024

/** Sends the file and binds it to a beam, whose end is also the upload's end. */
export const upload: Upload<UploadEnd | Lapsed> = (file, target, events) => {
  // A person is told of the bytes of their file. What seals them is more.
  const onProgress = (sent: number) => events.onProgress(Math.min(sent, file.size))
  const told = { ...events, onProgress }
  if (target.isStored && file.size > FORM_BYTES) return uploadPieces(file, target, told)
  const { seal } = target
  return seal ? uploadSealedForm(seal)(file, target, told) : uploadForm(file, target, told)
}

/** An upload in pieces, whose code is loaded when it is needed. */
const uploadPieces = uploadOnce(async () => {
  const { uploadInPieces } = await import('./resumable-upload')
  return uploadInPieces
})

/** An upload in a form. The whole file is sealed before it begins. */
function uploadSealedForm(seal: FileSeal): Upload<UploadEnd | Lapsed> {
  return uploadOnce(async (file, signal) => {
    const sealed = new SealedFile(file, seal)
    // A browser keeps large blobs on its disk, but not the bytes of which one is still to be made.
    const parts: Blob[] = []
    for (let at = 0; at < sealed.size && !signal.aborted; at += PART_BYTES)
      parts.push(await sealed.slice(at, at + PART_BYTES))
    const body = new File(parts, SEALED.name, { type: SEALED.type })
    return (_, target, events) => uploadForm(body, target, events)
  })
}

/** An upload that begins once something is ready, unless it was cancelled before, which ends the signal. */
function uploadOnce(
  ready: (file: File, signal: AbortSignal) => Promise<Upload<UploadEnd | Lapsed>>,
): Upload<UploadEnd | Lapsed> {
  return (file, target, events) => {
    const preparing = new AbortController()
    let cancel = () => preparing.abort()
    const start = async () => {
      const send = await ready(file, preparing.signal)
      if (!preparing.signal.aborted) cancel = send(file, target, events)
    }
    start().catch(() => events.onEnd({ status: 'unreachable' }))
    return () => cancel()
  }
}
