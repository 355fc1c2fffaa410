/** Prepares pictures for a note: scaled to at most a screen, and redrawn, which removes metadata such as the place. */
import { t } from '@lingui/core/macro'

/** Longest data URL of a picture in a note, in characters. A larger picture is shared beside the note. */
export const MAX_INLINE_PICTURE = 48 * 1024
const LONGEST_SIDE = 1600
const QUALITY = 0.85

/** Returns the size to draw a picture in: its own, or scaled until the longer side fits. */
export function fitted(width: number, height: number): { width: number; height: number } {
  const scale = Math.min(1, LONGEST_SIDE / Math.max(width, height))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** Redraws a picture as WebP or JPEG. @throws when the browser cannot read it */
export async function encodePicture(picture: Blob): Promise<Blob> {
  const bitmap = await createImageBitmap(picture, { imageOrientation: 'from-image' })
  const size = fitted(bitmap.width, bitmap.height)
  const canvas = Object.assign(document.createElement('canvas'), size)
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, size.width, size.height)
  bitmap.close()
  const webp = await encoded(canvas, 'image/webp')
  if (webp.type === 'image/webp') return webp
  // A browser that cannot write WebP returns a PNG; JPEG is far smaller for photographs.
  return picture.type === 'image/jpeg' ? encoded(canvas, 'image/jpeg') : webp
}

function encoded(canvas: HTMLCanvasElement, type: string): Promise<Blob> {
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('not encoded'))), type, QUALITY),
  )
}

export function dataUrlOf(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(blob)
  })
}

/** Decodes a base64 data URL. `fetch` cannot be used, because the page's policy forbids it for data URLs. */
export function blobOfDataUrl(url: string): Blob {
  const [head = '', data = ''] = url.split(',')
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
  return new Blob([bytes], { type: head.slice('data:'.length).split(';')[0] ?? '' })
}

/** Returns the name to share a picture under: its own, with the extension of its new type. */
export function pictureName(name: string, type: string): string {
  const base = name.replace(/\.[a-z0-9]{1,5}$/i, '').trim() || t`Picture`
  return `${base}.${type === 'image/jpeg' ? 'jpg' : type.slice('image/'.length)}`
}
