/** One WebRTC connection to one device. The only file that imports simple-peer, so that it can be replaced. */
import Peer from 'simple-peer'
import type { IceServer } from '../protocol/bindings'

export interface PeerLink {
  /** Passes a signal of the other device to the library. */
  signal(signal: unknown): void
  close(): void
}

export interface PeerLinkEvents {
  onSignal(signal: unknown): void
  /** The connection is open. `maxMessageBytes` is the largest message that the peer accepts. */
  onConnect(via: 'direct' | 'turn', maxMessageBytes: number): void
  /** Called once. The link cannot be used any more. */
  onClose(): void
}

export interface PeerLinkOptions {
  readonly initiator: boolean
  readonly iceServers: readonly IceServer[]
  /** Receives the channel for frames, in the task that created it. */
  readonly takeChannel: (channel: RTCDataChannel) => void
}

export type OpenPeerLink = (options: PeerLinkOptions, events: PeerLinkEvents) => PeerLink

/** Members of simple-peer that its types lack. */
interface Undocumented {
  readonly _pc: RTCPeerConnection
  negotiate(): void
}

/** Id of our own channel, negotiated by both sides; simple-peer's own gets 0 or 1. */
const CHANNEL_ID = 10

export const openPeerLink: OpenPeerLink = ({ initiator, iceServers, takeChannel }, events) => {
  const config = { iceServers: iceServers.map((server) => ({ ...server })) }
  const peer = new Peer({ initiator, trickle: true, config }) as Peer.Instance & Undocumented
  const connection = peer._pc
  // Chunks carry their position and need no order. An ordered channel is no slower, and simpler to drain.
  takeChannel(connection.createDataChannel('frames', { negotiated: true, id: CHANNEL_ID }))

  peer.on('signal', (signal) => events.onSignal(signal))
  peer.on('connect', () => {
    void pathOf(connection).then((via) => events.onConnect(via, connection.sctp?.maxMessageSize ?? 0))
  })
  peer.on('close', () => events.onClose())
  // The library's own channel is unused. Unread data from a hostile device would fill memory there, so it is drained.
  peer.resume()
  // Every error is followed by 'close'. Without this listener the error would be thrown as unhandled.
  peer.on('error', () => {})
  connection.addEventListener('iceconnectionstatechange', () => {
    // The network changed. simple-peer would wait for 'failed' and give up; instead the initiator restarts ICE.
    if (initiator && connection.iceConnectionState === 'disconnected' && !peer.destroyed) {
      connection.restartIce()
      peer.negotiate()
    }
  })
  return {
    signal(signal) {
      if (!peer.destroyed) peer.signal(signal as Peer.SignalData)
    },
    close: () => peer.destroy(),
  }
}

/** Reads the way from the selected pair of candidates: `turn` when either end is relayed. */
async function pathOf(connection: RTCPeerConnection): Promise<'direct' | 'turn'> {
  const stats = await connection.getStats()
  const reports = new Map<string, Record<string, unknown>>()
  stats.forEach((report) => {
    reports.set(report.id, report)
  })
  const pairs = [...reports.values()].filter(
    (report) => report.type === 'candidate-pair' && report.state === 'succeeded' && report.nominated,
  )
  const isRelayed = (id: unknown) => reports.get(String(id))?.candidateType === 'relay'
  const turn = pairs.some((pair) => isRelayed(pair.localCandidateId) || isRelayed(pair.remoteCandidateId))
  return turn ? 'turn' : 'direct'
}
