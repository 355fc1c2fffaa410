/** Asks the browser to keep what the site has stored, keys of beams before all, also when it makes room for others. */
import type { Stores } from '../stores/stores'

/**
 * Asks once this tab is in a beam. Call it once. Firefox would ask the person, without a word of why, so only Chromium is
 * asked, which decides by how much the site is used. Its estimates alone have `usageDetails`.
 */
export function makeStorageLast({ session }: Pick<Stores, 'session'>): void {
  const stop = session.subscribe(({ status }) => {
    if (status !== 'set') return
    stop()
    void ask().catch(() => {})
  })
}

async function ask(): Promise<void> {
  // Insecure pages have none.
  if (!('storage' in navigator)) return
  if ('usageDetails' in (await navigator.storage.estimate())) await navigator.storage.persist()
}
