/** Formats durations. */
import { t } from '@lingui/core/macro'

/** From this many hours the time left is too uncertain to be shown. */
const DAY_HOURS = 24

/** Formats the time left, rounded so that it does not flicker: `26 s left`, `2 h 10 min left`, `more than a day left`. */
export function formatTimeLeft(seconds: number): string {
  if (seconds < 60) {
    const count = Math.max(1, Math.ceil(seconds))
    return t`${count} s left`
  }
  const minutes = Math.ceil(seconds / 60)
  return minutes < 60 ? t`${minutes} min left` : hoursLeft(minutes)
}

function hoursLeft(all: number): string {
  const hours = Math.floor(all / 60)
  if (hours >= DAY_HOURS) return t`more than a day left`
  // In steps of ten minutes; over hours a finer estimate would be false precision.
  const minutes = Math.floor((all % 60) / 10) * 10
  return minutes === 0 ? t`${hours} h left` : t`${hours} h ${minutes} min left`
}

/** Formats a position in a recording: `m:ss`. Unknown and infinite durations give `0:00`. */
export function formatClock(seconds: number): string {
  const whole = Number.isFinite(seconds) ? Math.max(0, Math.floor(seconds)) : 0
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}
