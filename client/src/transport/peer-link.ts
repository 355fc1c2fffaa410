/** One WebRTC connection to one device. The only file that imports simple-peer, so that it can be left. */
import Peer from 'simple-peer'
import type { IceServer } from '../protocol/bindings'

export interface PeerLink {
  /** Feeds in a signal that the other device sent. */
  signal(signal: unknown): void
  close(): void
}

export interface PeerLinkEvents {
  onSignal(signal: unknown): void
  /** The connection is up: how, and how much the peer takes in one message. */
  onConnect(via: 'direct' | 'turn', maxMessageBytes: number): void
  /** Once; the link is of no use any more. */
  onClose(): void
}

export interface PeerLinkOptions {
  readonly initiator: boolean
  readonly iceServers: readonly IceServer[]
  /** Gets the channel for frames in the task that made it. */
  readonly takeChannel: (channel: RTCDataChannel) => void
}

export type OpenPeerLink = (options: PeerLinkOptions, events: PeerLinkEvents) => PeerLink

/** What simple-peer has and its types do not say. */
interface Undocumented {
  readonly _pc: RTCPeerConnection
  negotiate(): void
}

/** Number of our own channel, agreed by both sides; simple-peer's takes 0 or 1. */
const CHANNEL_ID = 10

export const openPeerLink: OpenPeerLink = ({ initiator, iceServers, takeChannel }, events) => {
  const config = { iceServers: iceServers.map((server) => ({ ...server })) }
  const peer = new Peer({ initiator, trickle: true, config }) as Peer.Instance & Undocumented
  const connection = peer._pc
  // Chunks name their place, so order between them is not needed; but an ordered channel is no slower, and simpler to drain.
  takeChannel(connection.createDataChannel('frames', { negotiated: true, id: CHANNEL_ID }))

  peer.on('signal', (signal) => events.onSignal(signal))
  peer.on('connect', () => {
    void pathOf(connection).then((via) => events.onConnect(via, connection.sctp?.maxMessageSize ?? 0))
  })
  peer.on('close', () => events.onClose())
  // Nothing is ever said on the library's own channel. Unread, what a hostile device sends there would fill memory.
  peer.resume()
  // A 'close' follows every error; without a listener the error would be thrown at nobody.
  peer.on('error', () => {})
  connection.addEventListener('iceconnectionstatechange', () => {
    // The network changed under us. simple-peer would wait for 'failed' and give up; the initiator looks for a new way.
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

/** By the pair of candidates in use: through a TURN server when either end is relayed. */
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
