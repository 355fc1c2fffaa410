import { t } from '@lingui/core/macro'
import { useSyncExternalStore } from 'react'

const TICK_MS = 30_000
const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

function tick() {
  now = Date.now()
  for (const listener of listeners) listener()
}

/** One timer for all ages on the page. It runs only while an age is shown. */
function subscribe(listener: () => void) {
  if (listeners.size === 0) {
    now = Date.now()
    timer = setInterval(tick, TICK_MS)
  }
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) clearInterval(timer)
  }
}

/** The age of an item. Only this text is rendered again as time passes. */
export function Age({ at }: { at: number }) {
  const moment = useSyncExternalStore(subscribe, () => now)
  return <time dateTime={new Date(at).toISOString()}>{formatAge(at, moment)}</time>
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Returns `now`, `2 min`, `3 h` or `2 d`. A time in the future, by a clock that is behind, gives `now`. */
export function formatAge(at: number, now: number): string {
  const age = now - at
  const minutes = Math.floor(age / MINUTE)
  const hours = Math.floor(age / HOUR)
  const days = Math.floor(age / DAY)
  if (age < MINUTE) return t`now`
  if (age < HOUR) return t`${minutes} min`
  return age < DAY ? t`${hours} h` : t`${days} d`
}
