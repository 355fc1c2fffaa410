/**
 * Tells of what others share while the page is hidden: in the title of the tab (by the store), on the icon of the
 * installed app, and by a notification where the person asked for it. All of it goes when the page is seen again.
 */

import { plural, t } from '@lingui/core/macro'
import type { Actions } from '../features/actions'
import { isNamed } from '../features/session/beam-text'
import { type Arrivals, newcomersOf } from '../stores/arrivals'
import { browserStorage } from '../stores/site-storage'
import type { Stores } from '../stores/stores'
import type { Toaster } from './toaster'

const WISH_KEY = 'notify'
/** All notifications of ours have one name, so that a newer one takes the place of the older one. */
const TAG = 'arrivals'
/** Items that arrive within so many milliseconds of the last one are one burst, and ring once. */
const BURST_MS = 10_000

/** What the rules need of the browser. */
export interface Surroundings {
  isHidden(): boolean
  /** Called when the page is hidden or seen again. */
  onChange(changed: () => void): void
  /** Milliseconds of a clock that never goes back. */
  now(): number
  badge(unseen: number): void
  /** Shows a notification, or replaces the one that is there. */
  notify(title: string, body: string, isSilent: boolean): void
  withdraw(): void
}

/** Follows the items. Call it once. */
export function tellArrivals(
  { items, devices, session, arrivals }: Stores,
  around: Surroundings = browserSurroundings(),
): void {
  let lastAt = Number.NEGATIVE_INFINITY
  const tell = (unseen: number) => {
    arrivals.setState({ unseen })
    around.badge(unseen)
  }
  around.onChange(() => {
    lastAt = Number.NEGATIVE_INFINITY
    if (around.isHidden() || arrivals.getState().unseen === 0) return
    tell(0)
    around.withdraw()
  })
  items.subscribe((state, before) => {
    if (!around.isHidden()) return
    const fresh = newcomersOf(before, state, devices.getState().me)
    if (fresh.length === 0) return
    const unseen = arrivals.getState().unseen + fresh.length
    tell(unseen)
    if (arrivals.getState().notifying !== 'on') return
    const now = around.now()
    const here = session.getState()
    const beam = here.status === 'set' && isNamed(here.session.beamName) ? here.session.beamName : ''
    around.notify(titleOf(unseen), beam, now - lastAt < BURST_MS)
    lastAt = now
  })
}

function titleOf(unseen: number): string {
  return plural(unseen, { one: '# new item', other: '# new items' })
}

/** Returns the action by which a person wishes for notifications, and learns whether they did so before. */
export function createArrivals({ arrivals }: Stores, toaster: Toaster): Pick<Actions, 'notifyOfArrivals'> {
  arrivals.setState({ notifying: notifyingNow() })
  return {
    async notifyOfArrivals(wanted) {
      if (!wanted) browserStorage.removeItem(WISH_KEY)
      else if ((await Notification.requestPermission()) === 'granted') browserStorage.setItem(WISH_KEY, 'yes')
      arrivals.setState({ notifying: notifyingNow() })
      if (wanted && notifyingNow() === 'blocked') {
        toaster.bad(t`Notifications are blocked. Allow them in the settings of the browser.`)
      }
    },
  }
}

function notifyingNow(): Arrivals['notifying'] {
  if (typeof Notification === 'undefined' || !isSecureContext) return 'unsupported'
  if (Notification.permission === 'denied') return 'blocked'
  const isWanted = browserStorage.getItem(WISH_KEY) !== null
  return isWanted && Notification.permission === 'granted' ? 'on' : 'off'
}

function browserSurroundings(): Surroundings {
  return {
    isHidden: () => document.visibilityState === 'hidden',
    onChange: (changed) => document.addEventListener('visibilitychange', changed),
    now: () => performance.now(),
    badge(unseen) {
      // Only an installed app has a badge; elsewhere the promise may reject.
      if (unseen > 0) void navigator.setAppBadge?.(unseen).catch(() => {})
      else void navigator.clearAppBadge?.().catch(() => {})
    },
    notify: (title, body, isSilent) => void show(title, body, isSilent),
    withdraw: () => void withdraw(),
  }
}

/** Chromium on Android knows notifications of a service worker only; without a worker the page shows its own. */
async function show(title: string, body: string, isSilent: boolean): Promise<void> {
  const options = { tag: TAG, body, icon: '/icon-192.png', silent: isSilent, renotify: !isSilent }
  const worker = await navigator.serviceWorker?.getRegistration()
  if (worker?.active) return worker.showNotification(title, options)
  const shown = new Notification(title, options)
  shown.onclick = () => {
    window.focus()
    shown.close()
  }
}

async function withdraw(): Promise<void> {
  const worker = await navigator.serviceWorker?.getRegistration()
  for (const shown of (await worker?.getNotifications({ tag: TAG })) ?? []) shown.close()
}
