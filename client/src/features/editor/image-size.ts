/** Sizes of a picture while it is resized by its corner. */

export interface Size {
  readonly width: number
  readonly height: number
}

/** Smallest side of a picture in px. */
export const SMALLEST_IMAGE_PX = 50

/** Returns the size after the corner was moved by `dx`: the ratio stays, and each side is at least 50 px. */
export function resized(from: Size, dx: number, widest: number): Size {
  const ratio = from.width / from.height
  const least = Math.max(SMALLEST_IMAGE_PX, SMALLEST_IMAGE_PX * ratio)
  const width = Math.max(least, Math.min(widest, from.width + dx))
  return rounded({ width, height: width / ratio })
}

export function rounded({ width, height }: Size): Size {
  return { width: Math.round(width), height: Math.round(height) }
}

/** Completes a size with that of the loaded picture. Returns null when nothing was missing. */
export function withNaturalSize(
  known: Size,
  { naturalWidth, naturalHeight }: { naturalWidth: number; naturalHeight: number },
): Size | null {
  if (naturalWidth === 0 || naturalHeight === 0 || (known.width > 0 && known.height > 0)) return null
  const ratio = naturalWidth / naturalHeight
  if (known.width > 0) return rounded({ width: known.width, height: known.width / ratio })
  if (known.height > 0) return rounded({ width: known.height * ratio, height: known.height })
  return { width: naturalWidth, height: naturalHeight }
}
