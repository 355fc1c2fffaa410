/** Registers the service worker, so that the page starts without a network and other apps can share into it. */
import script from '../service-worker/service-worker.ts?worker&url'

/** After the page has loaded. It is busy until then with what the person came for. */
const AFTER_LOAD_MS = 1_000

/** Call it once. Where there are no service workers, or none is wanted, the page does without. */
export function startOfflineWorker(): void {
  if (import.meta.env.DEV || !('serviceWorker' in navigator)) return
  addEventListener('load', () => setTimeout(() => void register(), AFTER_LOAD_MS))
}

async function register(): Promise<void> {
  try {
    await navigator.serviceWorker.register(script, { scope: '/', updateViaCache: 'none' })
    const { active } = await navigator.serviceWorker.ready
    // What came before the worker did, it has not seen.
    active?.postMessage(performance.getEntriesByType('resource').map(({ name }) => name))
  } catch (error) {
    // biome-ignore lint/suspicious/noConsole: nobody misses it but who looks for the reason.
    console.info('No offline start', error)
  }
}
