import { describe, expect, it, vi } from 'vitest'
import type { FrameLinkEvents } from './frame-link'
import { bridgeChannel, portLink } from './port-link'

const MIB = 1024 * 1024

/** A data channel that buffers what it is given and sends nothing until told to. */
class Channel {
  binaryType = ''
  bufferedAmountLowThreshold = 0
  bufferedAmount = 0
  readyState = 'connecting'
  readonly sent: Uint8Array[] = []
  onopen: (() => void) | null = null
  onmessage: ((event: { data: ArrayBuffer }) => void) | null = null
  onclose: (() => void) | null = null
  onbufferedamountlow: (() => void) | null = null

  send(frame: Uint8Array): void {
    this.sent.push(frame)
    this.bufferedAmount += frame.byteLength
  }

  opens(): void {
    this.readyState = 'open'
    this.onopen?.()
  }

  drains(): void {
    this.bufferedAmount = 0
    this.onbufferedamountlow?.()
  }

  close(): void {
    this.onclose?.()
  }
}

function bridged(): {
  channel: Channel
  link: ReturnType<typeof portLink>
  events: FrameLinkEvents
  end(): void
} {
  const channel = new Channel()
  const { port1, port2 } = new MessageChannel()
  bridgeChannel(channel as unknown as RTCDataChannel, port1)
  const events = { onOpen: vi.fn(), onFrame: vi.fn(), onClose: vi.fn() }
  const link = portLink('key', port2, events)
  return { channel, link, events, end: () => port1.close() }
}

describe('a channel that cannot leave the page', () => {
  it('opens, carries frames both ways and closes through its port', async () => {
    const { channel, link, events, end } = bridged()
    channel.opens()
    await vi.waitFor(() => expect(events.onOpen).toHaveBeenCalled())
    link.send(Uint8Array.of(1, 2, 3))
    await vi.waitFor(() => expect(channel.sent).toEqual([Uint8Array.of(1, 2, 3)]))
    channel.onmessage?.({ data: Uint8Array.of(4).buffer })
    await vi.waitFor(() => expect(events.onFrame).toHaveBeenCalledWith(Uint8Array.of(4).buffer))
    link.close()
    await vi.waitFor(() => expect(events.onClose).toHaveBeenCalled())
    end()
  })

  it('holds the sender back until the channel has taken the waiting frames', async () => {
    const { channel, link, end } = bridged()
    channel.opens()
    for (let i = 0; i < 5; i++) link.send(new Uint8Array(MIB))
    await vi.waitFor(() => expect(channel.sent).toHaveLength(2))
    const room = link.room()
    expect(room).not.toBeNull()
    channel.drains()
    await vi.waitFor(() => expect(channel.sent).toHaveLength(4))
    channel.drains()
    await room
    await vi.waitFor(() => expect(link.room()).toBeNull())
    end()
  })
})
