/** What a device knows of the links to another one, and what follows from two looks at them. */
import type { LinkKey } from './receiver'

/** The way of a link: by the kind of its candidates (RFC 8445, section 4), or through the server. */
export type LinkKind = 'host' | 'srflx' | 'prflx' | 'relay' | 'server'

export type LinkProtocol = 'udp' | 'tcp' | 'tls'

/** Bytes since the link began. */
export interface Volume {
  readonly sent: number
  readonly received: number
}

/** What is told of one link. Null is what the browser does not tell. */
export interface LinkFacts {
  readonly kind: LinkKind | null
  readonly protocol: LinkProtocol | null
  /** Milliseconds. */
  readonly roundTrip: number | null
  /** With all headers of the layers below, and what was repeated. */
  readonly wire: Volume | null
  /** Frames alone. */
  readonly payload: Volume | null
}

export interface LinkReport extends LinkFacts {
  readonly key: LinkKey
}

/** The links to a device at one moment, in milliseconds. */
export interface LinksReport {
  readonly at: number
  readonly links: readonly LinkReport[]
}

export interface LinkRow extends LinkReport {
  /** Bytes a second since the last look; null at the first one. */
  readonly rate: number | null
  /** Bytes of frames, both ways. */
  readonly bytes: number | null
  /** What headers and repeats added to the frames received, as a part of them; null where that cannot be told. */
  readonly overhead: number | null
}

/** With fewer bytes of frames the handshake is most of what was sent. */
const LEAST_FOR_OVERHEAD = 1_000_000

/** Compares two looks at the links to a device. */
export function linkRows(now: LinksReport, before: LinksReport | null): readonly LinkRow[] {
  return now.links.map((link) => {
    const old = before?.links.find(({ key }) => key === link.key)
    const bytes = total(link.payload ?? link.wire)
    return {
      ...link,
      bytes,
      rate: rateOf(bytes, old, now.at - (before?.at ?? now.at)),
      overhead: overheadOf(link),
    }
  })
}

function rateOf(bytes: number | null, old: LinkReport | undefined, elapsed: number): number | null {
  const earlier = old ? total(old.payload ?? old.wire) : null
  if (bytes === null || earlier === null || elapsed <= 0) return null
  return (Math.max(0, bytes - earlier) * 1000) / elapsed
}

/** Of what was received alone: browsers count frames as sent that still wait on this device. */
function overheadOf({ wire, payload }: LinkReport): number | null {
  if (!wire || !payload || payload.received < LEAST_FOR_OVERHEAD) return null
  return Math.max(0, wire.received / payload.received - 1)
}

function total(volume: Volume | null): number | null {
  return volume && volume.sent + volume.received
}
