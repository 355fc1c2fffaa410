import type Peer from 'simple-peer'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

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

  constructor() {
    super()
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

  createOffer = () => new Promise(() => {})

  close(): void {
    this.closed = true
  }
}

type Inside = Peer.Instance & {
  _onChannelMessage(event: { data: ArrayBuffer }): void
  readableLength: number
}

const events = { onSignal: vi.fn(), onConnect: vi.fn(), onClose: vi.fn() }
const takeChannel = vi.fn()
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

async function opens(initiator = true) {
  const { openPeerLink } = await import('./peer-link')
  return openPeerLink({ initiator, iceServers: [], takeChannel }, events)
}

describe('a peer link', () => {
  it('has a channel of its own for frames, handed over in the task that made it', async () => {
    await opens()
    const frames = Connection.made[0]?.channels.find(({ name }) => name === 'frames')
    expect(frames?.id).toBe(10)
    expect(takeChannel).toHaveBeenCalledWith(frames?.channel)
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

  it('closes once, and ignores signals after that', async () => {
    const link = await opens()
    link.close()
    link.close()
    await vi.waitFor(() => expect(events.onClose).toHaveBeenCalledOnce())
    expect(Connection.made[0]?.closed).toBe(true)
    expect(() => link.signal({ type: 'offer', sdp: '' })).not.toThrow()
  })
})
