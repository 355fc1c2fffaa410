import type Peer from 'simple-peer'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { IceServer } from '../protocol/bindings'

class Channel {
  readyState = 'connecting'
  binaryType = ''
  bufferedAmount = 0
  bufferedAmountLowThreshold = 0
  label = ''
  onopen: (() => void) | null = null
  onmessage: ((event: { data: ArrayBuffer }) => void) | null = null
  onclose: (() => void) | null = null

  send(): void {}
  close(): void {}
}

/** The part of a connection that the library uses before any negotiation. */
class Connection extends EventTarget {
  static readonly made: Connection[] = []
  readonly channels: { name: string; id: number | undefined; channel: Channel }[] = []
  iceConnectionState = 'new'
  signalingState = 'stable'
  restarts = 0
  closed = false
  configuration: RTCConfiguration | null = null
  /** What `getStats` reports: the pairs of candidates, and the one in use. */
  reports: Record<string, unknown>[] = []
  readonly sctp = { maxMessageSize: 262_144, transport: { iceTransport: new EventTarget() } }

  constructor(configuration: RTCConfiguration = {}) {
    super()
    if (configuration.iceServers?.some(({ urls }) => String(urls).includes('nonsense')))
      throw new SyntaxError()
    Connection.made.push(this)
  }

  createDataChannel(name: string, { id }: { id?: number } = {}): Channel {
    const channel = new Channel()
    this.channels.push({ name, id, channel })
    return channel
  }

  restartIce(): void {
    this.restarts += 1
  }

  setConfiguration(configuration: RTCConfiguration): void {
    this.configuration = configuration
  }

  getStats = async () => new Map(this.reports.map((report) => [report.id, report]))

  createOffer = () => new Promise(() => {})

  close(): void {
    this.closed = true
  }
}

type Inside = Peer.Instance & {
  _onChannelMessage(event: { data: ArrayBuffer }): void
  readableLength: number
}

const events = { onSignal: vi.fn(), onConnect: vi.fn(), onPath: vi.fn(), onBroken: vi.fn(), onClose: vi.fn() }
const takeChannels = vi.fn()
let peers: Inside[]

beforeEach(() => {
  peers = []
  Connection.made.length = 0
  vi.clearAllMocks()
  vi.resetModules()
  vi.stubGlobal('RTCPeerConnection', Connection)
  vi.stubGlobal('RTCSessionDescription', class {})
  vi.stubGlobal('RTCIceCandidate', class {})
  vi.doMock('simple-peer', async (original) => {
    const { default: Real } = await original<{ default: typeof Peer }>()
    return {
      default: class extends (Real as unknown as new (options: object) => Inside) {
        constructor(options: object) {
          super(options)
          peers.push(this)
        }
      },
    }
  })
})
afterEach(() => {
  vi.doUnmock('simple-peer')
  vi.unstubAllGlobals()
})

async function opens(initiator = true, iceServers: readonly IceServer[] = []) {
  const { openPeerLink } = await import('./peer-link')
  return openPeerLink({ initiator, iceServers, takeChannels }, events)
}

describe('a peer link', () => {
  it('l5_has channels of its own for frames, handed over in the task that made them', async () => {
    await opens()
    const made = (id: number) => Connection.made[0]?.channels.find((one) => one.id === id)?.channel
    expect(takeChannels).toHaveBeenCalledWith({ bulk: made(10), control: made(11) })
    expect(made(11)).toBeDefined()
  })

  it("discards data on the library's own channel", async () => {
    await opens()
    const [peer] = peers
    for (let i = 0; i < 100; i++) peer?._onChannelMessage({ data: new ArrayBuffer(64 * 1024) })
    await vi.waitFor(() => expect(peer?.readableLength).toBe(0))
  })

  it('restarts ICE when the network changes, at the initiator only', async () => {
    for (const initiator of [true, false]) {
      await opens(initiator)
      const connection = Connection.made.at(-1)
      if (connection) connection.iceConnectionState = 'disconnected'
      connection?.dispatchEvent(new Event('iceconnectionstatechange'))
    }
    expect(Connection.made.map(({ restarts }) => restarts)).toEqual([1, 0])
  })

  it('s37 takes new credentials without a restart', async () => {
    const link = await opens()
    const iceServers = [{ urls: ['turn:a.example:3478'], username: '2:a', credential: 'new' }]
    link.renew(iceServers)
    expect(Connection.made[0]?.configuration).toEqual({ iceServers })
    expect(Connection.made[0]?.restarts).toBe(0)
  })

  const candidates = [
    { id: 'host', type: 'local-candidate', candidateType: 'host' },
    { id: 'relay', type: 'local-candidate', candidateType: 'relay' },
    { id: 'other', type: 'remote-candidate', candidateType: 'srflx' },
  ]
  const pair = (id: string, local: string, marks = {}) => {
    const used = { state: 'succeeded', nominated: true, ...marks }
    return { id, type: 'candidate-pair', localCandidateId: local, remoteCandidateId: 'other', ...used }
  }
  const [direct, relayed] = [pair('1', 'host'), pair('2', 'relay')]

  it.each([
    [
      'as Chromium names it',
      (at: string) => [direct, relayed, { id: 't', type: 'transport', selectedCandidatePairId: at }],
    ],
    [
      'as Firefox marks it',
      (at: string) => [direct, relayed].map((one) => ({ ...one, selected: one.id === at })),
    ],
  ])('tells the path by the pair in use, %s, and when it changes', async (_how, reports) => {
    const link = await opens()
    const [connection] = Connection.made
    if (!connection) throw new Error('no connection')
    connection.reports = [...candidates, ...reports('1')]
    peers[0]?.emit('connect')
    await vi.waitFor(() => expect(events.onConnect).toHaveBeenCalledWith('direct', 262_144))
    connection.reports = [...candidates, ...reports('2')]
    connection.sctp.transport.iceTransport.dispatchEvent(new Event('selectedcandidatepairchange'))
    await vi.waitFor(() => expect(events.onPath).toHaveBeenCalledWith('turn'))
    expect(events.onConnect).toHaveBeenCalledOnce()
    // Over TURN, new credentials are needed at once.
    link.renew([])
    expect(connection.restarts).toBe(1)
  })

  it('l4 tells that an open connection is broken, and when it is not any more', async () => {
    await opens(false)
    const [connection] = Connection.made
    const becomes = (state: string) => {
      if (connection) connection.iceConnectionState = state
      connection?.dispatchEvent(new Event('iceconnectionstatechange'))
    }
    becomes('disconnected')
    expect(events.onBroken).not.toHaveBeenCalled()
    peers[0]?.emit('connect')
    await vi.waitFor(() => expect(events.onConnect).toHaveBeenCalled())
    becomes('disconnected')
    becomes('connected')
    expect(events.onBroken.mock.calls).toEqual([[true], [false]])
  })

  it('l4 asks the initiator for a restart, which makes at most one a second', async () => {
    const reports = [...candidates, relayed, { id: 't', type: 'transport', selectedCandidatePairId: '2' }]
    const asking = await opens(false)
    const [other] = Connection.made
    if (!other) throw new Error('no connection')
    other.reports = reports
    peers[0]?.emit('connect')
    await vi.waitFor(() => expect(events.onConnect).toHaveBeenCalledWith('turn', 262_144))
    asking.renew([])
    expect(other.restarts).toBe(0)
    expect(events.onSignal).toHaveBeenCalledWith({ type: 'restart' })

    const initiator = await opens(true)
    vi.useFakeTimers()
    for (let time = 0; time < 10; time += 1) initiator.signal({ type: 'restart' })
    expect(Connection.made.at(-1)?.restarts).toBe(1)
    vi.advanceTimersByTime(5_000)
    expect(Connection.made.at(-1)?.restarts).toBe(2)
    vi.useRealTimers()
    asking.signal({ type: 'restart' })
    expect(other.restarts).toBe(0)
  })

  it('opens without servers whose addresses the browser does not take', async () => {
    await opens(true, [{ urls: ['turn:nonsense::'] }])
    expect(Connection.made).toHaveLength(1)
    expect(takeChannels).toHaveBeenCalledOnce()
    await Promise.resolve()
    expect(events.onClose).not.toHaveBeenCalled()
  })

  it('closes when a restart is not answered, so that it is rebuilt', async () => {
    vi.useFakeTimers()
    const link = await opens()
    const [connection] = Connection.made
    if (!connection) throw new Error('no connection')
    link.signal({ type: 'restart' })
    await vi.advanceTimersByTimeAsync(9_000)
    connection.signalingState = 'have-local-offer'
    expect(connection.closed).toBe(false)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(connection.closed).toBe(true)
    vi.useRealTimers()
  })

  it('keeps its path while no pair is in use', async () => {
    await opens()
    const [connection] = Connection.made
    if (!connection) throw new Error('no connection')
    connection.reports = [
      ...candidates,
      relayed,
      { id: 't', type: 'transport', selectedCandidatePairId: '2' },
    ]
    peers[0]?.emit('connect')
    await vi.waitFor(() => expect(events.onConnect).toHaveBeenCalledWith('turn', 262_144))
    connection.reports = []
    connection.dispatchEvent(new Event('iceconnectionstatechange'))
    await Promise.resolve()
    expect(events.onPath).not.toHaveBeenCalled()
  })

  it('closes once, and ignores signals after that', async () => {
    const link = await opens()
    link.close()
    link.close()
    await vi.waitFor(() => expect(events.onClose).toHaveBeenCalledOnce())
    expect(Connection.made[0]?.closed).toBe(true)
    expect(() => link.signal({ type: 'offer', sdp: '' })).not.toThrow()
  })
})
