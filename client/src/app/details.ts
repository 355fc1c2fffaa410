/** What the details of a transfer ask for: the links to a device, the hash of its file, a place for the report of a fault. */
import type { Actions } from '../features/actions'
import type { LinkReport } from '../protocol/link-report'
import { sha256Of } from '../transport/hashing'
import type { PeerLinks } from '../transport/peer-links'
import type { Transfers } from '../transport/transfers'
import { writeClipboard } from './clipboard'

/** @param links those of the current beam; null while there is none */
export function createDetails(
  transfers: Pick<Transfers, 'relayedWith'>,
  links: () => Pick<PeerLinks, 'statsTo'> | null,
): Pick<Actions, 'reportLinks' | 'copyReport' | 'hashFile'> {
  return {
    async reportLinks(device) {
      const connected = (await links()?.statsTo(device)) ?? []
      const direct = connected.map(({ key, stats }): LinkReport => ({ key, ...stats }))
      const payload = transfers.relayedWith(device)
      const server = { key: 'server', kind: 'server', protocol: null, roundTrip: null, wire: null } as const
      return { at: performance.now(), links: payload ? [...direct, { ...server, payload }] : direct }
    },
    copyReport: writeClipboard,
    hashFile: sha256Of,
  }
}
