import { useSyncExternalStore } from 'react'

const TICK_MS = 30_000
const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

function tick() {
  now = Date.now()
  for (const listener of listeners) listener()
}

/** One clock for all ages on the page; it stands still while nobody looks at one. */
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

/** How long ago; only this text is drawn anew as time goes by. */
export function Age({ at }: { at: number }) {
  const moment = useSyncExternalStore(subscribe, () => now)
  return <time dateTime={new Date(at).toISOString()}>{formatAge(at, moment)}</time>
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** `now`, `2 min`, `3 h`, `2 d`. A clock that is behind the server's reads as now. */
export function formatAge(at: number, now: number): string {
  const age = now - at
  if (age < MINUTE) return 'now'
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min`
  if (age < DAY) return `${Math.floor(age / HOUR)} h`
  return `${Math.floor(age / DAY)} d`
}
