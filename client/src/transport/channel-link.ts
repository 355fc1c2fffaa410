/**
 * A link over the two data channels of one connection, with backpressure by `bufferedamount` events. Works on the page
 * and in a worker.
 */
import { MAX_RELAYED_FRAME_BYTES } from '../protocol/bindings'
import { type FrameLink, type FrameLinkEvents, MOST_UNSENT_BYTES } from './frame-link'
import { Gate } from './gate'

/**
 * The channels of one connection. SCTP takes turns between its streams message by message (RFC 8260, section 3), so
 * what goes over the second one waits for a single frame of the first, however many are queued there.
 */
export interface Channels {
  /** For chunks. */
  readonly bulk: RTCDataChannel
  /** For every other frame. */
  readonly control: RTCDataChannel
}

/** A device that lets more than this of small frames wait does not read. The overhead of each is several times its size. */
const MOST_UNSENT_CONTROL_BYTES = 256 * 1024
/** Sending stops above this. It keeps the channel busy while a file is read; Chromium throws at 16 MiB. */
const HIGH_WATER_BYTES = 2 * 1024 * 1024
/** Sending resumes below this. */
const LOW_WATER_BYTES = 512 * 1024
/** Message size of a peer that announces no `max-message-size` (RFC 8841, section 6.1). */
const SAFE_MESSAGE_BYTES = 64 * 1024

export function channelLink(key: string, { bulk, control }: Channels, events: FrameLinkEvents): FrameLink {
  const channels = [bulk, control]
  let closed = false
  const gate = new Gate()
  const isOpen = () => channels.every(({ readyState }) => readyState === 'open')
  const close = () => {
    if (closed) return
    closed = true
    for (const channel of channels) channel.close()
    gate.open()
    events.onClose()
  }
  const send = (channel: RTCDataChannel, frame: Uint8Array<ArrayBuffer>, most: number) => {
    if (closed || channel.readyState !== 'open') return
    if (channel.bufferedAmount > most) return queueMicrotask(close)
    try {
      channel.send(frame)
    } catch {
      queueMicrotask(close)
    }
  }
  for (const channel of channels) {
    channel.binaryType = 'arraybuffer'
    // Frames are bytes. What a device sends as text is none.
    channel.onmessage = ({ data }) => data instanceof ArrayBuffer && events.onFrame(data)
    // One without the other carries nothing of use.
    channel.onclose = close
    channel.onerror = close
    channel.onopen = () => isOpen() && events.onOpen()
  }
  bulk.bufferedAmountLowThreshold = LOW_WATER_BYTES
  bulk.onbufferedamountlow = () => gate.open()
  if (isOpen()) queueMicrotask(events.onOpen)
  return {
    key,
    kind: 'direct',
    maxFrame: SAFE_MESSAGE_BYTES,
    send: (frame) => send(bulk, frame, MOST_UNSENT_BYTES),
    say: (frame) => send(control, frame, MOST_UNSENT_CONTROL_BYTES),
    get unsent() {
      return closed ? 0 : bulk.bufferedAmount
    },
    get unsaid() {
      return closed ? 0 : control.bufferedAmount
    },
    room() {
      if (closed || bulk.bufferedAmount < HIGH_WATER_BYTES) return null
      return gate.wait()
    },
    close,
  }
}

/** Returns the largest frame in bytes for a peer that takes messages of `maxMessage` bytes. */
export function frameLimit(maxMessage: number): number {
  return Math.min(MAX_RELAYED_FRAME_BYTES, maxMessage > 0 ? maxMessage : SAFE_MESSAGE_BYTES)
}
