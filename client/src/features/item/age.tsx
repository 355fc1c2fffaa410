import { useSyncExternalStore } from 'react'
import { formatAge } from './format-age'

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
