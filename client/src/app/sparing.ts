/** Lets the bundles to other devices have as many connections as this device can spare (L6). */
import { mostConnections } from '../protocol/bundle'
import type { Stores } from '../stores/stores'
import type { PeerLinks } from '../transport/peer-links'
import { followPower } from '../transport/power'
import type { Transfers } from '../transport/transfers'

/** Call it once. A later connection to a beam begins with what holds then. */
export function spareConnections(
  { power }: Pick<Stores, 'power'>,
  transfers: Pick<Transfers, 'tell'>,
  links: () => Pick<PeerLinks, 'setMost'> | null,
): void {
  followPower((now) => {
    power.setState(now, true)
    const connections = mostConnections(now)
    transfers.tell({ do: 'most', connections })
    links()?.setMost(connections)
  })
}
