/** Registers the service worker, so that the page starts without a network and other apps can share into it. */
import script from '../service-worker/service-worker.ts?worker&url'

/** Call it once. Where there are no service workers, or none is wanted, the page does without. */
export function startOfflineWorker(): void {
  if (import.meta.env.DEV || !('serviceWorker' in navigator)) return
  // The first page is not to wait for it.
  addEventListener('load', () => {
    register().catch((error: unknown) => {
      // biome-ignore lint/suspicious/noConsole: nobody misses it but who looks for the reason.
      console.info('No offline start', error)
    })
  })
}

async function register(): Promise<void> {
  await navigator.serviceWorker.register(script, { scope: '/', updateViaCache: 'none' })
  const { active } = await navigator.serviceWorker.ready
  // What came before the worker did, it has not seen.
  active?.postMessage(performance.getEntriesByType('resource').map(({ name }) => name))
}
