/** Formats durations. */
import { t } from '@lingui/core/macro'

/** From this many hours the time left is too uncertain to be shown. */
const DAY_HOURS = 24

/** Formats the time left, rounded so that it does not flicker: `26 s`, `3 min`, `2 h 10 min`, `more than a day`. */
export function formatTimeLeft(seconds: number): string {
  if (seconds < 60) return `${Math.max(1, Math.ceil(seconds))} s`
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours >= DAY_HOURS) return t`more than a day`
  // In steps of ten minutes; over hours a finer estimate would be false precision.
  const rest = Math.floor((minutes % 60) / 10) * 10
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`
}

/** Formats a position in a recording: `m:ss`. Unknown and infinite durations give `0:00`. */
export function formatClock(seconds: number): string {
  const whole = Number.isFinite(seconds) ? Math.max(0, Math.floor(seconds)) : 0
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}
