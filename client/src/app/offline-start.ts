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
    // The worker has not seen what was loaded before it started.
    active?.postMessage(performance.getEntriesByType('resource').map(({ name }) => name))
  } catch (error) {
    // biome-ignore lint/suspicious/noConsole: only useful to a person who looks for the reason.
    console.info('No offline start', error)
  }
}
