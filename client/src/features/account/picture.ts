/** Profile pictures before they are uploaded: which are taken, and how small they become. */

const TYPES = ['image/jpeg', 'image/jpg', 'image/png', 'image/webp']
const MOST_BYTES = 5_242_880
const LONGEST_SIDE = 400
const QUALITY = 0.8

/** Why a chosen file is not taken; null when it is. */
export function pictureProblem({ type, size }: Pick<File, 'type' | 'size'>): string | null {
  if (!TYPES.includes(type)) return 'Please select a valid image file (JPEG, PNG, or WebP)'
  return size > MOST_BYTES ? 'Image size must be less than 5MB' : null
}

/** The size at which the longer side is at most 400 px. A smaller picture keeps its own. */
export function fitted(width: number, height: number): { width: number; height: number } {
  const scale = Math.min(1, LONGEST_SIDE / Math.max(width, height))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** The name under which it is uploaded: one without an extension gets .jpg. */
export function pictureName(name: string): string {
  return /\.[^./\\]+$/.test(name) ? name : `${name}.jpg`
}

/** A small jpeg of the picture. @throws Error with a sentence for the person */
export async function downscale(file: File): Promise<File> {
  const picture = await createImageBitmap(file).catch(() => {
    throw new Error('Failed to read image file')
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
  // A jpeg has no transparency: what was transparent becomes white, not black.
  if (context) context.fillStyle = '#fff'
  context?.fillRect(0, 0, canvas.width, canvas.height)
  context?.drawImage(picture, 0, 0, canvas.width, canvas.height)
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', QUALITY))
  if (!context || !blob) throw new Error('Failed to process image')
  return blob
}
