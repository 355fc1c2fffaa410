/** The camera on the back of the device, where there is one; any other else. */

export type CameraAnswer =
  | { answer: 'granted'; stream: MediaStream }
  | { answer: 'denied' }
  | { answer: 'failed'; why: string }

const ELSE = 'Join by the beam ID, or scan with the camera app of this device.'
const NO_HTTPS = `The browser gives the camera to https pages only. ${ELSE}`
const NO_CAMERA = `No camera was found. ${ELSE}`
const BUSY = `The camera cannot be used now. Another app may have it. ${ELSE}`

/** A code that fills a third of the picture has some ten pixels a module. */
const VIDEO: MediaTrackConstraints = {
  facingMode: { ideal: 'environment' },
  width: { ideal: 1280 },
  height: { ideal: 720 },
}

/** Asks for the camera; the browser asks the person. */
export async function openCamera(): Promise<CameraAnswer> {
  if (!hasCameras()) return { answer: 'failed', why: NO_HTTPS }
  try {
    return {
      answer: 'granted',
      stream: await navigator.mediaDevices.getUserMedia({ video: VIDEO, audio: false }),
    }
  } catch (error) {
    const name = error instanceof DOMException ? error.name : ''
    if (name === 'NotAllowedError' || name === 'SecurityError') return { answer: 'denied' }
    return { answer: 'failed', why: name === 'NotFoundError' ? NO_CAMERA : BUSY }
  }
}

/** Whether the browser gives cameras to this page at all. */
export function hasCameras(): boolean {
  return 'mediaDevices' in navigator
}

export function closeCamera(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop()
}

/** Turns the lamp beside the camera on and off; null where there is none. */
export function torchOf(stream: MediaStream): ((on: boolean) => Promise<void>) | null {
  const [track] = stream.getVideoTracks()
  // Not in the types yet: https://w3c.github.io/mediacapture-image/#torch
  const capabilities = track?.getCapabilities?.() as { torch?: boolean } | undefined
  if (!track || !capabilities?.torch) return null
  return (on) => track.applyConstraints({ advanced: [{ torch: on } as MediaTrackConstraintSet] })
}
