/**
 * For tests: a cipher that answers at once and the same in each run, in place of that of WebCrypto, and what stands between
 * devices that seal (E7) and a world that sees their chunks in clear.
 */
import type { Bytes } from '../crypto/bytes'
import { CHUNK_BYTES, SEALED_CHUNK_BYTES, TAG_BYTES } from '../crypto/file-chunks'
import { chunkFrame, decodeFrame } from '../protocol/frames'

/** Stands for `fileKeysOf`. */
export async function plainKeysOf() {
  const cipher = {
    seal: async (chunk: number, bytes: Bytes) => seal(chunk, bytes),
    open: async (chunk: number, sealed: Bytes, isLast: boolean) => {
      if (sealed.byteLength < SEALED_CHUNK_BYTES !== isLast) return null
      const clear = open(sealed)
      return Buffer.compare(seal(chunk, clear), sealed) === 0 ? clear : null
    },
  }
  return { cipher, pieces: new Uint8Array(32) }
}

/** Returns a frame as the world sees it. */
export function inClear(frame: ArrayBuffer): ArrayBuffer {
  return changed(frame, SEALED_CHUNK_BYTES, (_, sealed) => open(sealed))
}

/** Returns a frame as a device gets it. @param isRight whether a chunk of these bytes opens */
export function inSealed(frame: ArrayBuffer, isRight: (chunk: number, bytes: Bytes) => boolean): ArrayBuffer {
  return changed(frame, CHUNK_BYTES, (chunk, bytes) => seal(isRight(chunk, bytes) ? chunk : chunk + 1, bytes))
}

function changed(
  buffer: ArrayBuffer,
  length: number,
  change: (chunk: number, bytes: Bytes) => Bytes,
): ArrayBuffer {
  const frame = decodeFrame(buffer)
  if (frame?.type !== 'chunk') return buffer
  const { transfer, first, bytes } = frame
  const count = Math.ceil(bytes.byteLength / length)
  const parts = Array.from({ length: count }, (_, at) =>
    change(first + at, bytes.slice(at * length, (at + 1) * length)),
  )
  return chunkFrame(transfer, first, ...parts).buffer
}

/** The tag depends on every byte and on the place, which is all that the engine relies on. */
function seal(chunk: number, bytes: Bytes): Bytes {
  const sealed = new Uint8Array(bytes.byteLength + TAG_BYTES)
  let sum = 2_166_136_261 ^ chunk
  for (const byte of bytes) sum = Math.imul(sum ^ byte, 16_777_619)
  sealed.set(bytes.map((byte) => byte ^ 0x5a))
  new DataView(sealed.buffer).setUint32(bytes.byteLength, sum)
  return sealed
}

function open(sealed: Bytes): Bytes {
  return sealed.slice(0, Math.max(0, sealed.byteLength - TAG_BYTES)).map((byte) => byte ^ 0x5a)
}
