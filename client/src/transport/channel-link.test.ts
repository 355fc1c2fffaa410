import { describe, expect, it, vi } from 'vitest'
import { type Channels, channelLink } from './channel-link'

class Channel {
  readyState = 'open'
  bufferedAmount = 0
  onopen: (() => void) | null = null
  onclose: (() => void) | null = null
  onmessage: ((event: { data: unknown }) => void) | null = null
  readonly send = vi.fn()
  readonly close = vi.fn()
}

function open(parts: Partial<Channel> = {}) {
  const [bulk, control] = [Object.assign(new Channel(), parts), new Channel()]
  const events = { onOpen: vi.fn(), onFrame: vi.fn(), onClose: vi.fn() }
  return { bulk, control, events, link: channelLink('key', { bulk, control } as unknown as Channels, events) }
}

describe('the channels of a connection', () => {
  it('l5_carry chunks on one and every other frame on the other', () => {
    const { bulk, control, link } = open()
    link.send(Uint8Array.of(1))
    link.say(Uint8Array.of(2))
    expect(bulk.send.mock.calls).toEqual([[Uint8Array.of(1)]])
    expect(control.send.mock.calls).toEqual([[Uint8Array.of(2)]])
  })

  it('are a link once both are open, and none once either is closed', () => {
    const { bulk, control, events } = open({ readyState: 'connecting' })
    control.onopen?.()
    expect(events.onOpen).not.toHaveBeenCalled()
    bulk.readyState = 'open'
    bulk.onopen?.()
    expect(events.onOpen).toHaveBeenCalledOnce()
    control.onclose?.()
    bulk.onclose?.()
    expect(bulk.close).toHaveBeenCalled()
    expect(events.onClose).toHaveBeenCalledOnce()
  })

  it('close when their device does not read the answers that it asks for', async () => {
    const { bulk, control, events, link } = open()
    control.bufferedAmount = 256 * 1024 + 1
    link.say(Uint8Array.of(1))
    expect(events.onClose).not.toHaveBeenCalled()
    await Promise.resolve()
    expect(control.send).not.toHaveBeenCalled()
    expect(bulk.close).toHaveBeenCalled()
    expect(events.onClose).toHaveBeenCalledOnce()
  })

  it('tell what waits of the frames that are none of chunks', () => {
    const { bulk, control, link } = open()
    bulk.bufferedAmount = 5
    control.bufferedAmount = 7
    expect([link.unsent, link.unsaid]).toEqual([5, 7])
    link.close()
    expect(link.unsaid).toBe(0)
  })

  it('ignore what is no frame of bytes', () => {
    const { bulk, events } = open()
    bulk.onmessage?.({ data: 'text' })
    expect(events.onFrame).not.toHaveBeenCalled()
    bulk.onmessage?.({ data: new ArrayBuffer(1) })
    expect(events.onFrame).toHaveBeenCalledOnce()
  })

  it('close when one takes no more, and harm nobody else', async () => {
    const refuses = vi.fn(() => {
      throw new DOMException('The send queue is full.', 'OperationError')
    })
    const { bulk, events, link } = open({ send: refuses })
    expect(() => link.send(Uint8Array.of(1))).not.toThrow()
    link.send(Uint8Array.of(1))
    await Promise.resolve()
    expect(bulk.close).toHaveBeenCalled()
    expect(events.onClose).toHaveBeenCalledOnce()
  })
})
