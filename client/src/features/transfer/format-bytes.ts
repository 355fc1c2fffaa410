/** Formats sizes in powers of 1000, as file managers do. */

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const

function scaleOf(bytes: number): number {
  let scale = 0
  // 999.5 would be rounded to 1000 of its unit.
  while (scale < UNITS.length - 1 && bytes / 1000 ** scale >= 999.5) scale += 1
  return scale
}

function digits(value: number, scale: number): number {
  if (scale < 2 || value >= 100) return 0
  return scale > 2 && value < 10 ? 2 : 1
}

/** Formats a size: `1.84 GB`, `18.6 MB`, `402 MB`, `12 kB`. */
export function formatBytes(bytes: number): string {
  const scale = scaleOf(bytes)
  const value = bytes / 1000 ** scale
  return `${value.toFixed(digits(value, scale))} ${UNITS[scale]}`
}

/** Formats progress: `1.14 of 1.84 GB`. Both numbers have the unit of the whole, so that the width stays the same. */
export function formatPart(bytes: number, whole: number): string {
  const scale = scaleOf(whole)
  const value = whole / 1000 ** scale
  return `${(bytes / 1000 ** scale).toFixed(digits(value, scale))} of ${formatBytes(whole)}`
}

/** Formats the size, preceded by the transferred part once there is one. */
export function formatSize(part: number | null, whole: number): string {
  return part === null || part === 0 ? formatBytes(whole) : formatPart(part, whole)
}

/** Formats a speed: `27.4 MB/s`. */
export function formatSpeed(bytesPerSecond: number): string {
  return `${formatBytes(bytesPerSecond)}/s`
}
