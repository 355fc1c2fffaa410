/**
 * Both ends of a port that stands for data channels. Some browsers cannot transfer a channel to a worker; with the
 * port the engine stays in its worker all the same.
 */
import { type Channels, channelLink } from './channel-link'
import { type FrameLink, type FrameLinkEvents, MOST_UNSENT_BYTES } from './frame-link'
import { Gate } from './gate'

/** Most bytes of frames on their way to the page that the channel has not taken yet. */
const HIGH_WATER_BYTES = 2 * 1024 * 1024

type ToPage = { chunks: Uint8Array<ArrayBuffer> } | { frame: Uint8Array<ArrayBuffer> } | { close: true }
/** `said`: bytes of other frames that their channel was given since the last of these; `unsaid`: how much waits there now. */
type Said = { said: number; unsaid: number }
type ToWorker = { opened: true } | { closed: true } | { taken: number } | Said | { frame: ArrayBuffer }

/** Makes the worker's end: a link whose frames go through the port. */
export function portLink(key: string, port: MessagePort, events: FrameLinkEvents): FrameLink {
  let pending = 0
  /** Bytes of other frames on their way to the page, and those that wait in their channel there. */
  let saying = 0
  let unsaid = 0
  let closed = false
  const gate = new Gate()
  const end = () => {
    if (closed) return
    closed = true
    gate.open()
    events.onClose()
  }
  port.onmessage = ({ data }: MessageEvent<ToWorker>) => {
    if ('frame' in data) events.onFrame(data.frame)
    else if ('opened' in data) events.onOpen()
    else if ('taken' in data) {
      pending -= data.taken
      if (pending < HIGH_WATER_BYTES) gate.open()
    } else if ('said' in data) {
      saying -= data.said
      unsaid = data.unsaid
    } else {
      end()
      // The page says nothing after this. An open port would never be freed.
      port.close()
    }
  }
  const post = (message: ToPage, transfer: Transferable[] = []) => port.postMessage(message, transfer)
  const close = () => {
    post({ close: true })
    end()
  }
  return {
    key,
    kind: 'direct',
    maxFrame: 64 * 1024,
    send(chunks) {
      if (closed) return
      if (pending > MOST_UNSENT_BYTES) return queueMicrotask(close)
      pending += chunks.byteLength
      post({ chunks }, [chunks.buffer])
    },
    say(frame) {
      if (closed) return
      saying += frame.byteLength
      post({ frame }, [frame.buffer])
    },
    get unsent() {
      return closed ? 0 : pending
    },
    get unsaid() {
      return closed ? 0 : saying + unsaid
    },
    room: () => (closed || pending < HIGH_WATER_BYTES ? null : gate.wait()),
    close,
  }
}

/** Runs the page's end: passes chunks to their channel as there is room, and reports what it has taken. */
export function bridgeChannels(channels: Channels, port: MessagePort): void {
  const post = (message: ToWorker, transfer: Transferable[] = []) => port.postMessage(message, transfer)
  const link = channelLink('bridge', channels, {
    onOpen: () => post({ opened: true }),
    onFrame: (frame) => post({ frame }, [frame]),
    onClose: () => post({ closed: true }),
  })
  const tellSaid = (said: number) => post({ said, unsaid: link.unsaid })
  channels.control.onbufferedamountlow = () => tellSaid(0)
  let last = Promise.resolve()
  port.onmessage = ({ data }: MessageEvent<ToPage>) => {
    if ('close' in data) link.close()
    else if ('frame' in data) {
      link.say(data.frame)
      tellSaid(data.frame.byteLength)
    } else {
      last = last.then(async () => {
        await link.room()
        link.send(data.chunks)
        post({ taken: data.chunks.byteLength })
      })
    }
  }
}
