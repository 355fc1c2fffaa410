/** Reads QR codes in a worker, with the browser's detector, or else with one that is loaded on demand. */
import wasm from 'zxing-wasm/reader/zxing_reader.wasm?url'
import type { PictureMessage, TextsMessage } from './code-reader'

interface Detector {
  detect(picture: ImageBitmap | OffscreenCanvas): Promise<{ rawValue: string }[]>
}

interface DetectorClass {
  new (options: { formats: string[] }): Detector
  getSupportedFormats(): Promise<readonly string[]>
}

type Read = (picture: ImageBitmap) => Promise<TextsMessage>

const QR_CODE = 'qr_code'

const reading = chooseReading()

addEventListener('message', ({ data }: MessageEvent<PictureMessage>) => {
  void reading
    .then((read) => read(data))
    .then((texts) => postMessage(texts))
    // `reportError` raises an `error` event at the page that made this worker; a rejected promise would not.
    .catch((error: unknown) => reportError(error))
    .finally(() => data.close())
})

async function chooseReading(): Promise<Read> {
  const native = (globalThis as { BarcodeDetector?: DetectorClass }).BarcodeDetector
  if (native && (await native.getSupportedFormats()).includes(QR_CODE)) {
    return readBothWays(new native({ formats: [QR_CODE] }))
  }
  const { BarcodeDetector, prepareZXingModule } = await import('barcode-detector/ponyfill')
  // From our own server: by default the library loads it from a third party.
  prepareZXingModule({ overrides: { locateFile: () => wasm } })
  const detector = new BarcodeDetector({ formats: [QR_CODE] })
  return async (picture) => textsOf(await detector.detect(picture))
}

/** Our codes are light on dark, which not every system's detector reads, so each picture is also read inverted. */
function readBothWays(detector: Detector): Read {
  return async (picture) => {
    const codes = await detector.detect(picture)
    return textsOf(codes.length > 0 ? codes : await detector.detect(inverted(picture)))
  }
}

function inverted(picture: ImageBitmap): OffscreenCanvas {
  const canvas = new OffscreenCanvas(picture.width, picture.height)
  const context = canvas.getContext('2d')
  if (!context) return canvas
  context.drawImage(picture, 0, 0)
  // The difference to white is the inverse.
  context.globalCompositeOperation = 'difference'
  context.fillStyle = 'white'
  context.fillRect(0, 0, canvas.width, canvas.height)
  return canvas
}

function textsOf(codes: readonly { rawValue: string }[]): TextsMessage {
  return codes.map(({ rawValue }) => rawValue)
}
