/** Reads a QR code from a picture, as a phone's camera would. */
import jsqr from 'jsqr'
import { PNG } from 'pngjs'

/** Returns the text of the QR code in a PNG. Light modules on a dark ground are tried too. */
export function readQr(png: Buffer): string | null {
  const { data, width, height } = PNG.sync.read(png)
  const pixels = new Uint8ClampedArray(data.buffer, data.byteOffset, data.byteLength)
  return jsqr(pixels, width, height, { inversionAttempts: 'attemptBoth' })?.data ?? null
}

/** Pixels that a module of a drawn code is made wide. */
const MODULE = 4

/**
 * Returns the text of a QR code that is drawn as rows of modules: the path of an SVG. No picture of the screen is taken, which
 * costs a quarter of a second.
 * @param rows the `d` of the path: `M4 4h7v1H4z…`
 * @param side modules at each side, with the quiet zone
 */
export function readDrawnQr(rows: string, side: number): string | null {
  const width = side * MODULE
  const pixels = new Uint8ClampedArray(4 * width * width).fill(255)
  for (const [, x, y, length] of rows.matchAll(/M(\d+)[ ,](\d+) ?h(\d+)v1/g)) {
    for (let row = Number(y) * MODULE; row < (Number(y) + 1) * MODULE; row += 1) {
      const start = row * width + Number(x) * MODULE
      for (let at = start; at < start + Number(length) * MODULE; at += 1) pixels.fill(0, 4 * at, 4 * at + 3)
    }
  }
  return jsqr(pixels, width, width, { inversionAttempts: 'dontInvert' })?.data ?? null
}
