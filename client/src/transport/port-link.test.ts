import { describe, expect, it, vi } from 'vitest'
import type { Channels } from './channel-link'
import type { FrameLinkEvents } from './frame-link'
import { bridgeChannels, portLink } from './port-link'

const MIB = 1024 * 1024

/** A data channel that buffers what it is given and sends nothing until told to. */
class Channel {
  binaryType = ''
  bufferedAmountLowThreshold = 0
  bufferedAmount = 0
  readyState = 'connecting'
  readonly sent: Uint8Array[] = []
  /** Whether it throws, as a full one does. */
  isFull = false
  onopen: (() => void) | null = null
  onmessage: ((event: { data: ArrayBuffer }) => void) | null = null
  onclose: (() => void) | null = null
  onbufferedamountlow: (() => void) | null = null

  send(frame: Uint8Array): void {
    if (this.isFull) throw new DOMException('The send queue is full.', 'OperationError')
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
  /** The channel of the chunks. */
  channel: Channel
  control: Channel
  link: ReturnType<typeof portLink>
  events: FrameLinkEvents
  /** The engine's end. */
  port: MessagePort
  end(): void
} {
  const [channel, control] = [new Channel(), new Channel()]
  control.opens()
  const { port1, port2 } = new MessageChannel()
  bridgeChannels({ bulk: channel, control } as unknown as Channels, port1)
  const events = { onOpen: vi.fn(), onFrame: vi.fn(), onClose: vi.fn() }
  const link = portLink('key', port2, events)
  return { channel, control, link, events, port: port2, end: () => port1.close() }
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

  it('sends other frames though chunks wait', async () => {
    const { channel, control, link, end } = bridged()
    channel.opens()
    for (let i = 0; i < 5; i++) link.send(new Uint8Array(MIB))
    link.say(Uint8Array.of(7))
    await vi.waitFor(() => expect(control.sent).toEqual([Uint8Array.of(7)]))
    expect(channel.sent.length).toBeLessThan(5)
    end()
  })

  it('tells what waits of other frames, on their way to it and there', async () => {
    const { channel, control, link, events, end } = bridged()
    channel.opens()
    link.say(new Uint8Array(3))
    link.say(new Uint8Array(4))
    expect(link.unsaid).toBe(7)
    await vi.waitFor(() => expect(control.bufferedAmount).toBe(7))
    // What the page said before this is here by then.
    control.onmessage?.({ data: new ArrayBuffer(1) })
    await vi.waitFor(() => expect(events.onFrame).toHaveBeenCalled())
    expect(link.unsaid).toBe(7)
    control.drains()
    await vi.waitFor(() => expect(link.unsaid).toBe(0))
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

  it('closes, at both ends, when the channel takes no more', async () => {
    const { channel, link, events, end } = bridged()
    channel.opens()
    channel.isFull = true
    link.send(Uint8Array.of(1))
    await vi.waitFor(() => expect(events.onClose).toHaveBeenCalledOnce())
    link.send(Uint8Array.of(2))
    end()
  })

  it('closes when the device does not read the answers that it asks for', async () => {
    const { channel, link, events, end } = bridged()
    channel.opens()
    channel.bufferedAmount = MIB * 3
    for (let i = 0; i < 10; i++) link.send(new Uint8Array(MIB))
    await vi.waitFor(() => expect(events.onClose).toHaveBeenCalledOnce())
    end()
  })

  it('frees its port once it is closed', async () => {
    const { channel, events, port, end } = bridged()
    const close = vi.spyOn(port, 'close')
    channel.close()
    await vi.waitFor(() => expect(close).toHaveBeenCalled())
    expect(events.onClose).toHaveBeenCalledOnce()
    end()
  })
})
