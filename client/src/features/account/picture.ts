/** Checks and scales profile pictures before they are uploaded. */
import { t } from '@lingui/core/macro'

const TYPES = ['image/jpeg', 'image/jpg', 'image/png', 'image/webp']
const MOST_BYTES = 5_242_880
const LONGEST_SIDE = 400
const QUALITY = 0.8

/** Returns why a chosen file cannot be used; null when it can. */
export function pictureProblem({ type, size }: Pick<File, 'type' | 'size'>): string | null {
  if (!TYPES.includes(type)) return t`Please select a valid image file (JPEG, PNG, or WebP)`
  return size > MOST_BYTES ? t`Image size must be less than 5MB` : null
}

/** Returns the size with a longer side of at most 400 px. A smaller picture keeps its size. */
export function fitted(width: number, height: number): { width: number; height: number } {
  const scale = Math.min(1, LONGEST_SIDE / Math.max(width, height))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** Returns the name to upload under: a name without an extension gets .jpg. */
export function pictureName(name: string): string {
  return /\.[^./\\]+$/.test(name) ? name : `${name}.jpg`
}

/** Returns the picture scaled down, as JPEG. @throws Error with a sentence to show */
export async function downscale(file: File): Promise<File> {
  const picture = await createImageBitmap(file).catch(() => {
    throw new Error(t`Failed to read image file`)
  })
  try {
    const blob = await redraw(picture)
    return new File([blob], pictureName(file.name), { type: 'image/jpeg' })
  } finally {
    picture.close()
  }
}

async function redraw(picture: ImageBitmap): Promise<Blob> {
  const canvas = Object.assign(document.createElement('canvas'), fitted(picture.width, picture.height))
  const context = canvas.getContext('2d')
  // JPEG has no transparency; without this, transparent pixels would become black.
  if (context) context.fillStyle = '#fff'
  context?.fillRect(0, 0, canvas.width, canvas.height)
  context?.drawImage(picture, 0, 0, canvas.width, canvas.height)
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', QUALITY))
  if (!context || !blob) throw new Error(t`Failed to process image`)
  return blob
}
