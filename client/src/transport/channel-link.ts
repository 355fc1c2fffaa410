/**
 * A link over one data channel, with backpressure by its `bufferedamount` events. Works on the page and in a worker.
 */
import { MAX_RELAYED_FRAME_BYTES } from '../protocol/bindings'
import { type FrameLink, type FrameLinkEvents, MOST_UNSENT_BYTES } from './frame-link'
import { Gate } from './gate'

/** Sending stops above this. It keeps the channel busy while a file is read; Chromium throws at 16 MiB. */
const HIGH_WATER_BYTES = 2 * 1024 * 1024
/** Sending resumes below this. */
const LOW_WATER_BYTES = 512 * 1024
/** Message size of a peer that announces no `max-message-size` (RFC 8841, section 6.1). */
const SAFE_MESSAGE_BYTES = 64 * 1024

export function channelLink(key: string, channel: RTCDataChannel, events: FrameLinkEvents): FrameLink {
  let closed = false
  const gate = new Gate()
  const end = () => {
    if (closed) return
    closed = true
    gate.open()
    events.onClose()
  }
  const close = () => {
    channel.close()
    end()
  }
  channel.binaryType = 'arraybuffer'
  channel.bufferedAmountLowThreshold = LOW_WATER_BYTES
  channel.onbufferedamountlow = () => gate.open()
  channel.onmessage = (event) => events.onFrame(event.data)
  channel.onclose = end
  channel.onerror = end
  if (channel.readyState === 'open') queueMicrotask(events.onOpen)
  else channel.onopen = events.onOpen
  return {
    key,
    kind: 'direct',
    maxFrame: SAFE_MESSAGE_BYTES,
    send(frame) {
      if (closed || channel.readyState !== 'open') return
      if (channel.bufferedAmount > MOST_UNSENT_BYTES) return queueMicrotask(close)
      try {
        channel.send(frame)
      } catch {
        queueMicrotask(close)
      }
    },
    get unsent() {
      return closed ? 0 : channel.bufferedAmount
    },
    room() {
      if (closed || channel.bufferedAmount < HIGH_WATER_BYTES) return null
      return gate.wait()
    },
    close,
  }
}

/** Returns the largest frame in bytes for a peer that takes messages of `maxMessage` bytes. */
export function frameLimit(maxMessage: number): number {
  return Math.min(MAX_RELAYED_FRAME_BYTES, maxMessage > 0 ? maxMessage : SAFE_MESSAGE_BYTES)
}
