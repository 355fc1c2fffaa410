/** One WebRTC connection to one device. The only file that imports simple-peer, so that it can be replaced. */
import Peer from 'simple-peer'
import type { IceServer } from '../protocol/bindings'
import type { Channels } from './channel-link'
import { type ConnectionStats, type PeerPath, type Report, readPath, readStats } from './connection-stats'

export interface PeerLink {
  /** Passes a signal of the other device to the library. */
  signal(signal: unknown): void
  /** Takes ICE servers with new credentials. Only a connection over TURN needs them at once. */
  renew(iceServers: readonly IceServer[]): void
  /** Asks the browser what it knows of the connection. */
  stats(): Promise<ConnectionStats>
  close(): void
}

export interface PeerLinkEvents {
  onSignal(signal: unknown): void
  /** The connection is open. `maxMessageBytes` is the largest message that the peer accepts. */
  onConnect(via: PeerPath, maxMessageBytes: number): void
  /** The open connection has changed to another path. */
  onPath(via: PeerPath): void
  /** Nothing comes over the open connection any more, or again. */
  onBroken(isBroken: boolean): void
  /** Called once. The link cannot be used any more. */
  onClose(): void
}

export interface PeerLinkOptions {
  readonly initiator: boolean
  readonly iceServers: readonly IceServer[]
  /** Receives the channels for frames, in the task that created them. */
  readonly takeChannels: (channels: Channels) => void
}

export type OpenPeerLink = (options: PeerLinkOptions, events: PeerLinkEvents) => PeerLink

/** Members of simple-peer that its types lack. */
interface Undocumented {
  readonly _pc: RTCPeerConnection
  negotiate(): void
}

/** Asks the initiator to restart ICE (L4). */
const RESTART = { type: 'restart' } as const

/** Pause between two restarts, so that a device that asks again and again costs little. */
const RESTART_INTERVAL_MS = 1_000

/** Limit for the answer to a restart; the link is rebuilt after it. */
const ANSWER_LIMIT_MS = 10_000

function isRestart(signal: unknown): boolean {
  return typeof signal === 'object' && signal !== null && 'type' in signal && signal.type === RESTART.type
}

/** Ids of our own channels, negotiated by both sides (L5); simple-peer's own gets 0 or 1. */
const CHANNEL_IDS = { bulk: 10, control: 11 } as const

export const openPeerLink: OpenPeerLink = ({ initiator, iceServers, takeChannels }, events) => {
  const peer = open(initiator, iceServers)
  const connection = peer._pc
  // Chunks carry their position and need no order. An ordered channel is no slower, and simpler to drain.
  const channel = (name: keyof typeof CHANNEL_IDS) =>
    connection.createDataChannel(name, { negotiated: true, id: CHANNEL_IDS[name] })
  takeChannels({ bulk: channel('bulk'), control: channel('control') })

  peer.on('signal', (signal) => events.onSignal(signal))
  let path: PeerPath | null = null
  const tellPath = async () => {
    const inUse = readPath(await reportsOf(connection))
    const before = path
    // Between two paths no pair is in use.
    path = inUse ?? before ?? 'direct'
    if (peer.destroyed || path === before) return
    if (before === null) events.onConnect(path, connection.sctp?.maxMessageSize ?? 0)
    else events.onPath(path)
  }
  peer.on('connect', () => {
    void tellPath()
    const ice = connection.sctp?.transport?.iceTransport
    ice?.addEventListener('selectedcandidatepairchange', () => void tellPath())
  })
  peer.on('close', () => events.onClose())
  // The library's own channel is unused. Unread data from a hostile device would fill memory there, so it is drained.
  peer.resume()
  // Every error is followed by 'close'. Without this listener the error would be thrown as unhandled.
  peer.on('error', () => {})
  connection.addEventListener('iceconnectionstatechange', () => {
    if (path !== null) void tellPath()
    // The network changed. simple-peer would wait for 'failed' and give up; instead the initiator restarts ICE.
    const isBroken = connection.iceConnectionState === 'disconnected'
    if (isBroken) restart()
    if (path !== null) events.onBroken(isBroken)
  })
  const restart = spaced(RESTART_INTERVAL_MS, () => {
    if (!initiator || peer.destroyed) return
    connection.restartIce()
    peer.negotiate()
    // A lost offer or answer would be waited for forever, and keep back every later restart.
    setTimeout(() => {
      if (!peer.destroyed && connection.signalingState !== 'stable') peer.destroy()
    }, ANSWER_LIMIT_MS)
  })
  return {
    signal(signal) {
      if (isRestart(signal)) restart()
      else if (!peer.destroyed) peer.signal(signal as Peer.SignalData)
    },
    renew(servers) {
      if (peer.destroyed) return
      connection.setConfiguration({ iceServers: copied(servers) })
      // An allocation in use was made with the old credentials and ends with them. Data flows on meanwhile.
      if (path !== 'turn') return
      if (initiator) restart()
      else events.onSignal(RESTART)
    },
    stats: async () => readStats(await reportsOf(connection)),
    close: () => peer.destroy(),
  }
}

async function reportsOf(connection: RTCPeerConnection): Promise<readonly Report[]> {
  const reports: Report[] = []
  const stats = await connection.getStats()
  stats.forEach((report) => {
    reports.push(report)
  })
  return reports
}

/** Without the servers if the browser does not take their addresses: devices of one network then still meet. */
function open(initiator: boolean, iceServers: readonly IceServer[]): Peer.Instance & Undocumented {
  const opened = (servers: readonly IceServer[]) => {
    const config = { iceServers: copied(servers) }
    return new Peer({ initiator, trickle: true, config }) as Peer.Instance & Undocumented
  }
  const peer = opened(iceServers)
  // The library tells a little later that it has none.
  if (peer._pc) return peer
  peer.on('error', () => {})
  return opened([])
}

/** The browser's types take no read-only lists. */
function copied(servers: readonly IceServer[]): RTCIceServer[] {
  return servers.map((server) => ({ ...server }))
}

/** Returns a function that runs at once, or when the interval since its last run is over; then once for all calls. */
function spaced(intervalMs: number, run: () => void): () => void {
  let isOver = true
  let isWanted = false
  const ask = () => {
    isWanted = !isOver
    if (!isOver) return
    isOver = false
    setTimeout(() => {
      isOver = true
      if (isWanted) ask()
    }, intervalMs)
    run()
  }
  return ask
}
