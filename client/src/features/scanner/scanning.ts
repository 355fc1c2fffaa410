/** Connects camera, video and reader: shows the camera's picture, and reads it a few times per second. */
import { t } from '@lingui/core/macro'
import { closeCamera, openCamera, torchOf } from './camera'
import { type CodeReader, openCodeReader } from './code-reader'

export interface ScanningEvents {
  /** The camera is on. `torch` turns its lamp on and off; null without a lamp. */
  onOpen(torch: ((on: boolean) => Promise<void>) | null): void
  onDenied(): void
  onFailed(why: string): void
  onText(text: string): void
}

/** Pause between two pictures: short enough to feel instant, long enough to keep a phone cool. */
const BETWEEN_PICTURES_MS = 120
/** The longer side in px of the picture that is read. */
const PICTURE_SIDE = 1024

/** Starts scanning. Returns a function that ends it: the camera is off, the worker ended, and no event follows. */
export function startScanning(video: HTMLVideoElement, events: ScanningEvents): () => void {
  const scan: Scan = { ended: false, stream: null, reader: null, timer: null }
  const end = () => {
    scan.ended = true
    if (scan.timer !== null) clearTimeout(scan.timer)
    if (scan.stream) closeCamera(scan.stream)
    scan.reader?.end()
    video.srcObject = null
  }
  const fail = (why: string) => {
    if (!scan.ended) events.onFailed(why)
  }
  const stopped = () => fail(t`The camera has stopped. You can join by the beam ID.`)
  void openCamera().then(async (camera) => {
    if (camera.answer === 'granted') scan.stream = camera.stream
    // Cancelled while the browser asked for permission.
    if (scan.ended) return end()
    if (camera.answer === 'denied') return events.onDenied()
    if (camera.answer === 'failed') return events.onFailed(camera.why)
    for (const track of camera.stream.getTracks()) track.addEventListener('ended', stopped)
    video.srcObject = camera.stream
    // Rejects when the video is removed before it plays.
    await video.play().catch(() => {})
    if (scan.ended) return
    events.onOpen(torchOf(camera.stream))
    scan.reader = openCodeReader()
    readOn(video, scan.reader, scan, events.onText, () =>
      fail(t`The scanner could not be loaded. Are you online? You can join by the beam ID.`),
    )
  })
  return end
}

interface Scan {
  ended: boolean
  stream: MediaStream | null
  reader: CodeReader | null
  timer: ReturnType<typeof setTimeout> | null
}

/** Reads one picture after the other. */
function readOn(
  video: HTMLVideoElement,
  reader: CodeReader,
  scan: Scan,
  onText: (text: string) => void,
  onFailed: () => void,
): void {
  const next = () => {
    scan.timer = setTimeout(() => void step().catch(onFailed), BETWEEN_PICTURES_MS)
  }
  const step = async () => {
    const picture = await pictureOf(video)
    const texts = picture && !scan.ended ? await reader.read(picture) : []
    for (const text of texts) if (!scan.ended) onText(text)
    if (!scan.ended) next()
  }
  next()
}

/** Returns the video's picture, scaled down for reading; null while there is none. */
async function pictureOf(video: HTMLVideoElement): Promise<ImageBitmap | null> {
  const { videoWidth: width, videoHeight: height } = video
  if (width === 0 || video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA) return null
  const scale = Math.min(1, PICTURE_SIDE / Math.max(width, height))
  return await createImageBitmap(video, {
    resizeWidth: Math.round(width * scale),
    resizeHeight: Math.round(height * scale),
  })
}
