/** Says what the disk of this device does with the names of files. */
import type { NameRules } from '../protocol/saved-names'

/** What browsers tell of the system. Chromium has a newer interface, which the DOM types lack (User-Agent Client Hints). */
interface System {
  readonly userAgent: string
  readonly userAgentData?: { readonly platform: string }
}

export function nameRules({ userAgent, userAgentData }: System): NameRules {
  const system = userAgentData?.platform || userAgent
  if (/win/i.test(system) && !/darwin/i.test(system)) return 'windows'
  // Android's shared storage folds case as well.
  return /mac|iphone|ipad|android/i.test(system) ? 'folds' : 'exact'
}
