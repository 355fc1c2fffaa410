/** Lengths of time for people. */

/** A link that is that slow says nothing about tomorrow. */
const DAY_HOURS = 24

/** Time left, rounded so that it does not flicker: `26 s`, `3 min`, `2 h 10 min`, `over a day`. */
export function formatTimeLeft(seconds: number): string {
  if (seconds < 60) return `${Math.max(1, Math.ceil(seconds))} s`
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours >= DAY_HOURS) return 'over a day'
  // Nobody plans by the minute over hours.
  const rest = Math.floor((minutes % 60) / 10) * 10
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`
}

/** A place in a recording: `m:ss`. Unknown or endless lengths read as `0:00`. */
export function formatClock(seconds: number): string {
  const whole = Number.isFinite(seconds) ? Math.max(0, Math.floor(seconds)) : 0
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}
