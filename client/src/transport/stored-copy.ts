/** Reads parts of the copies that the server has of files (H41), from the engine's worker. */
import { CopyGone, type ReadPart } from './stored-link'

/** The server has deleted it, with its item or its beam (RFC 9110, 15.5.5 and 15.5.11). */
const GONE: readonly number[] = [404, 410]

/** @throws CopyGone; otherwise when the server does not answer, or not with just these bytes */
export const readStoredCopy: ReadPart = async (url, start, bytes, signal) => {
  const { status, headers, body } = await fetch(url, {
    headers: { range: `bytes=${start}-${start + bytes - 1}` },
    signal,
  })
  if (GONE.includes(status)) throw new CopyGone()
  const range = headers.get('content-range')
  // Another range, or the whole, begins elsewhere.
  if (status !== 206 || !body || !range?.startsWith(`bytes ${start}-${start + bytes - 1}/`)) {
    throw new Error('The stored copy cannot be read.')
  }
  return body
}
