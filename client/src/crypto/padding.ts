/**
 * Hides the length of what is sealed: four bytes of length, the content, and zeros. Padmé (Nikitin et al., "Reducing
 * Metadata Leakage from Encrypted Files and Communication with PURBs", PoPETs 2019, section 4.3) rounds so that a length tells
 * O(log log) bits of itself, and what is added is at most 12 percent.
 */
import { type Bytes, bigEndian, concat } from './bytes'

/** Links, short texts and everything else that is small have one length. */
const LEAST_BYTES = 256
const LENGTH_BYTES = 4

export function pad(content: Uint8Array): Bytes {
  const bare = LENGTH_BYTES + content.byteLength
  const zeros = Math.max(LEAST_BYTES, paddedLength(bare)) - bare
  return concat(bigEndian(content.byteLength, LENGTH_BYTES), content, new Uint8Array(zeros))
}

/** Returns null when it was not padded as `pad` does. */
export function unpad(padded: Bytes): Bytes | null {
  if (padded.byteLength < LENGTH_BYTES) return null
  const length = new DataView(padded.buffer, padded.byteOffset).getUint32(0)
  const end = LENGTH_BYTES + length
  if (end > padded.byteLength || padded.byteLength !== Math.max(LEAST_BYTES, paddedLength(end))) return null
  return padded.subarray(end).some((byte) => byte !== 0) ? null : padded.slice(LENGTH_BYTES, end)
}

/** Padmé: lengths of E bits keep only as many of them as E itself has. */
export function paddedLength(length: number): number {
  if (length < 2) return length
  const exponent = Math.floor(Math.log2(length))
  const kept = Math.floor(Math.log2(exponent || 1)) + 1
  const step = 2 ** Math.max(0, exponent - kept)
  return Math.ceil(length / step) * step
}
