/** Registers the service worker, so that the page starts without a network and other apps can share into it. */
import script from '../service-worker/service-worker.ts?worker&url'
import { viewportClass } from './viewport'

/** Delay after the page has loaded, so that the registration does not compete with the first work of the page. */
const AFTER_LOAD_MS = 1_000

/** Registers the worker. Call it once. Without service workers the page works, only not offline. */
export function startOfflineWorker(): void {
  if (import.meta.env.DEV || !('serviceWorker' in navigator)) return
  const later = () => setTimeout(() => void register(), AFTER_LOAD_MS)
  // The page may have loaded while it waited for its texts.
  if (document.readyState === 'complete') later()
  else addEventListener('load', later)
}

async function register(): Promise<void> {
  try {
    await navigator.serviceWorker.register(script, { scope: '/', updateViaCache: 'none' })
    const { active } = await navigator.serviceWorker.ready
    // On phones the Space is one tap away, also for somebody who has not opened it before the network went.
    if (viewportClass() === 'mobile') await import('./routes/space-route')
    if (active) reportMissed(active)
  } catch (error) {
    // biome-ignore lint/suspicious/noConsole: only useful to a person who looks for the reason.
    console.info('No offline start', error)
  }
}

/** Tells the worker what was loaded before it started, and what was on its way when it took over the page: it has seen neither. */
function reportMissed(worker: ServiceWorker): void {
  const report = (list: PerformanceObserverEntryList) => {
    const missed = list
      .getEntries()
      .filter(isMissed)
      .map(({ name }) => name)
    if (missed.length > 0) worker.postMessage(missed)
  }
  new PerformanceObserver(report).observe({ type: 'resource', buffered: true })
}

/** A browser that does not tell what passed the worker reports all. The calls of a page that has no worker wake none. */
function isMissed(entry: PerformanceEntry): boolean {
  const { name, workerStart } = entry as PerformanceResourceTiming
  return !(workerStart > 0) && !new URL(name).pathname.startsWith('/api/')
}
