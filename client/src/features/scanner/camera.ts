/** The device's camera: the one on its back, or else any other. */
import { t } from '@lingui/core/macro'

export type CameraAnswer =
  | { answer: 'granted'; stream: MediaStream }
  | { answer: 'denied' }
  | { answer: 'failed'; why: string }

/** At this size, a QR code that fills a third of the picture has about ten pixels per module. */
const VIDEO: MediaTrackConstraints = {
  facingMode: { ideal: 'environment' },
  width: { ideal: 1280 },
  height: { ideal: 720 },
}

/** Requests the camera. The browser asks the person. */
export async function openCamera(): Promise<CameraAnswer> {
  if (!hasCameras()) {
    const why = t`Browsers allow the camera only on https pages. Join by the beam ID, or scan with the camera app of this device.`
    return { answer: 'failed', why }
  }
  try {
    return {
      answer: 'granted',
      stream: await navigator.mediaDevices.getUserMedia({ video: VIDEO, audio: false }),
    }
  } catch (error) {
    const name = error instanceof DOMException ? error.name : ''
    if (name === 'NotAllowedError' || name === 'SecurityError') return { answer: 'denied' }
    const why =
      name === 'NotFoundError'
        ? t`No camera was found. Join by the beam ID, or scan with the camera app of this device.`
        : t`The camera cannot be used now. Another app may have it. Join by the beam ID, or scan with the camera app of this device.`
    return { answer: 'failed', why }
  }
}

/** Whether the browser offers cameras to this page. */
export function hasCameras(): boolean {
  return 'mediaDevices' in navigator
}

export function closeCamera(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop()
}

/** Returns a function that turns the camera's lamp on and off; null when there is no lamp. */
export function torchOf(stream: MediaStream): ((on: boolean) => Promise<void>) | null {
  const [track] = stream.getVideoTracks()
  // Not in the DOM types yet: https://w3c.github.io/mediacapture-image/#torch
  const capabilities = track?.getCapabilities?.() as { torch?: boolean } | undefined
  if (!track || !capabilities?.torch) return null
  return (on) => track.applyConstraints({ advanced: [{ torch: on } as MediaTrackConstraintSet] })
}
