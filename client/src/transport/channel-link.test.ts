import { describe, expect, it, vi } from 'vitest'
import { channelLink } from './channel-link'
import { MOST_UNSENT_BYTES } from './frame-link'

function open(parts: { bufferedAmount?: number; send?: () => void }) {
  const channel = { readyState: 'open', bufferedAmount: 0, send: vi.fn(), close: vi.fn(), ...parts }
  const events = { onOpen: vi.fn(), onFrame: vi.fn(), onClose: vi.fn() }
  return { channel, events, link: channelLink('key', channel as unknown as RTCDataChannel, events) }
}

describe('a data channel', () => {
  it('closes when its device does not read the answers that it asks for', async () => {
    const { channel, events, link } = open({ bufferedAmount: MOST_UNSENT_BYTES + 1 })
    link.send(Uint8Array.of(1))
    expect(events.onClose).not.toHaveBeenCalled()
    await Promise.resolve()
    expect(channel.send).not.toHaveBeenCalled()
    expect(channel.close).toHaveBeenCalled()
    expect(events.onClose).toHaveBeenCalledOnce()
  })

  it('closes when it takes no more, and harms nobody else', async () => {
    const refuses = () => {
      throw new DOMException('The send queue is full.', 'OperationError')
    }
    const { channel, events, link } = open({ send: refuses })
    expect(() => link.send(Uint8Array.of(1))).not.toThrow()
    link.send(Uint8Array.of(1))
    await Promise.resolve()
    expect(channel.close).toHaveBeenCalled()
    expect(events.onClose).toHaveBeenCalledOnce()
  })
})
