/** Reads a QR code out of a picture, as a phone's camera would. */
import jsqr from 'jsqr'
import { PNG } from 'pngjs'

/** The text of the QR code in a PNG; light modules on a dark ground are tried too. */
export function readQr(png: Buffer): string | null {
  const { data, width, height } = PNG.sync.read(png)
  const pixels = new Uint8ClampedArray(data.buffer, data.byteOffset, data.byteLength)
  return jsqr(pixels, width, height, { inversionAttempts: 'attemptBoth' })?.data ?? null
}
