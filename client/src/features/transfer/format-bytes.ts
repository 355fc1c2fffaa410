/** Formats sizes in powers of 1000, as file managers do. */
import { i18n } from '@lingui/core'
import { t } from '@lingui/core/macro'

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

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

/** Formats a number of a unit, with the digits and the decimal sign of the language. */
function fixed(value: number, digits: number, style: Intl.NumberFormatOptions = {}): string {
  // `toFixed` rounds what the number is, and the format what it is written as: 18.65 is a little less than that.
  const rounded = Number(value.toFixed(digits))
  const format = { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false }
  return i18n.number(rounded, { ...format, ...style })
}

/** Formats a size: `1.84 GB`, `18.6 MB`, `402 MB`, `12 kB`. */
export function formatBytes(bytes: number): string {
  const scale = scaleOf(bytes)
  const value = bytes / 1000 ** scale
  const unit = UNITS[scale]
  if (unit !== 'byte') return fixed(value, digits(value, scale), { style: 'unit', unit })
  const count = fixed(value, 0)
  // The number format has no `B`: it would write `byte` in full.
  return t({ message: `${count} B`, comment: 'A size in bytes' })
}

/** Formats progress: `1.14 of 1.84 GB`. Both numbers have the unit of the whole, so that the width stays the same. */
export function formatPart(bytes: number, size: number): string {
  const scale = scaleOf(size)
  const value = size / 1000 ** scale
  const part = fixed(bytes / 1000 ** scale, digits(value, scale))
  const whole = formatBytes(size)
  return t({ message: `${part} of ${whole}`, comment: 'Progress of a file, such as “1.14 of 1.84 GB”' })
}

/** Formats the size, preceded by the transferred part once there is one. */
export function formatSize(part: number | null, size: number): string {
  return part === null || part === 0 ? formatBytes(size) : formatPart(part, size)
}

/** Formats a speed: `27.4 MB/s`. */
export function formatSpeed(bytesPerSecond: number): string {
  const size = formatBytes(bytesPerSecond)
  return t({ message: `${size}/s`, comment: 'A speed, such as “27.4 MB/s”' })
}
