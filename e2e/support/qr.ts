/** Reads a QR code from a picture, as a phone's camera would. */
import jsqr from 'jsqr'
import { PNG } from 'pngjs'

/** Returns the text of the QR code in a PNG. Light modules on a dark ground are tried too. */
export function readQr(png: Buffer): string | null {
  const { data, width, height } = PNG.sync.read(png)
  const pixels = new Uint8ClampedArray(data.buffer, data.byteOffset, data.byteLength)
  return jsqr(pixels, width, height, { inversionAttempts: 'attemptBoth' })?.data ?? null
}
