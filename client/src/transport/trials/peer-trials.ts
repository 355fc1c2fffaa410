/** Looks at WebRTC with two connections inside this page: direct, and over each way to the TURN server. */
import type { IceServer } from '../../protocol/bindings'
import type { Finding, Trial } from '../../protocol/findings'
import { hasRtc } from '../has-rtc'

/** Time for a connection, and for candidates. Browsers try a silent server for about ten seconds. */
const LIMIT_MS = 15_000
const WORD = 'doctor'

/** The ways to a TURN server, by the addresses that devices are told. */
const WAYS: readonly { trial: Trial; is: (url: string) => boolean }[] = [
  { trial: 'turn_udp', is: (url) => url.startsWith('turn:') && !url.endsWith('transport=tcp') },
  { trial: 'turn_tcp', is: (url) => url.startsWith('turn:') && url.endsWith('transport=tcp') },
  { trial: 'turn_tls', is: (url) => url.startsWith('turns:') },
]

/** Tries everything out; null stands for servers that are not known. */
export async function* tryPeers(iceServers: readonly IceServer[] | null): AsyncGenerator<Finding> {
  if (!hasRtc()) {
    const all = ['stun', ...WAYS.map(({ trial }) => trial), 'direct'] as const
    for (const trial of all) yield { trial, outcome: 'failed', detail: 'WebRTC' }
    return
  }
  yield connected('direct', {})
  yield tryStun(iceServers)
  // One after the other: a slow machine would take them for broken.
  for (const { trial, is } of WAYS) yield tryTurn(trial, iceServers, is)
}

async function tryTurn(
  trial: Trial,
  iceServers: readonly IceServer[] | null,
  is: (url: string) => boolean,
): Promise<Finding> {
  if (iceServers === null) return { trial, outcome: 'skipped' }
  const chosen = iceServers.flatMap(({ urls, username, credential }) => {
    const own = urls.filter(is)
    return own.length > 0 && username && credential ? [{ urls: own, username, credential }] : []
  })
  const isOff = !iceServers.some(({ urls }) => urls.some((url) => url.startsWith('turn')))
  // Without TLS, nothing is wrong: it helps only where a firewall lets nothing else out.
  if (chosen.length === 0)
    return { trial, outcome: isOff && trial === 'turn_udp' ? 'warning' : 'skipped', detail: 'off' }
  return connected(trial, { iceServers: chosen, iceTransportPolicy: 'relay' })
}

/** Connects two peers of this page, and sends a word there and back. */
async function connected(trial: Trial, configuration: RTCConfiguration): Promise<Finding> {
  const peers: RTCPeerConnection[] = []
  try {
    const [ada, bob] = [new RTCPeerConnection(configuration), new RTCPeerConnection(configuration)]
    peers.push(ada, bob)
    ada.onicecandidate = ({ candidate }) => void bob.addIceCandidate(candidate ?? undefined).catch(() => {})
    bob.onicecandidate = ({ candidate }) => void ada.addIceCandidate(candidate ?? undefined).catch(() => {})
    const echoed = echo(ada, bob)
    await ada.setLocalDescription()
    if (ada.localDescription) await bob.setRemoteDescription(ada.localDescription)
    await bob.setLocalDescription()
    if (bob.localDescription) await ada.setRemoteDescription(bob.localDescription)
    await inTime(echoed)
    return { trial, outcome: 'ok' }
  } catch (error) {
    return { trial, outcome: 'failed', detail: nameOf(error) }
  } finally {
    for (const peer of peers) peer.close()
  }
}

function echo(ada: RTCPeerConnection, bob: RTCPeerConnection): Promise<void> {
  const channel = ada.createDataChannel(WORD)
  channel.onopen = () => channel.send(WORD)
  bob.ondatachannel = ({ channel: other }) => {
    other.onmessage = () => other.send(WORD)
  }
  return new Promise((resolve) => {
    channel.onmessage = () => resolve()
  })
}

/** Whether the STUN server answers: by an address that it saw, or by the end of gathering without an error. */
async function tryStun(iceServers: readonly IceServer[] | null): Promise<Finding> {
  const urls = iceServers?.flatMap((server) => server.urls.filter((url) => url.startsWith('stun:'))) ?? []
  if (urls.length === 0) return { trial: 'stun', outcome: 'skipped', detail: 'off' }
  const peer = new RTCPeerConnection({ iceServers: [{ urls }] })
  try {
    const seen = answered(peer)
    peer.createDataChannel(WORD)
    await peer.setLocalDescription()
    await inTime(seen)
    return { trial: 'stun', outcome: 'ok' }
  } catch (error) {
    return { trial: 'stun', outcome: 'failed', detail: nameOf(error) }
  } finally {
    peer.close()
  }
}

function answered(peer: RTCPeerConnection): Promise<void> {
  return new Promise((resolve, reject) => {
    let failed = false
    peer.onicecandidateerror = () => {
      failed = true
    }
    peer.onicecandidate = ({ candidate }) => {
      if (candidate?.type === 'srflx') resolve()
      // Without one the server saw the address that the device itself has, unless it was silent.
      if (candidate === null) failed ? reject(new Error('silent')) : resolve()
    }
  })
}

function inTime<T>(result: Promise<T>): Promise<T> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new DOMException('late', 'TimeoutError')), LIMIT_MS)
  })
  return Promise.race([result, late])
}

/** The name of an error, since its message may contain an address. */
function nameOf(error: unknown): string {
  return error instanceof Error || error instanceof DOMException ? error.name : 'unknown'
}
