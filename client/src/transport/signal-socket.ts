/** The live channel's socket. This is the only file that uses `WebSocket`. */
import type { BeamId } from '../protocol/bindings'

export interface SignalSocket {
  send(data: string | Uint8Array<ArrayBuffer>): void
  /** Bytes handed over that have not been sent yet. */
  unsent(): number
  close(): void
}

export interface SignalSocketEvents {
  onOpen(): void
  onText(text: string): void
  onBinary(bytes: ArrayBuffer): void
  /** Called once, whichever side closed. */
  onClose(code: number): void
}

export type OpenSignalSocket = (beam: BeamId, events: SignalSocketEvents) => SignalSocket

/** Close code of a socket that never opened (RFC 6455, section 7.1.5). */
const NEVER_OPENED = 1006

/** Opens the live channel of a beam on the page's own host. */
export const openSignalSocket: OpenSignalSocket = (beam, events) => {
  const socket = connect(beam)
  if (!socket) {
    queueMicrotask(() => events.onClose(NEVER_OPENED))
    return { send: () => {}, unsent: () => 0, close: () => {} }
  }
  socket.binaryType = 'arraybuffer'
  socket.onopen = () => events.onOpen()
  socket.onmessage = ({ data }) => (typeof data === 'string' ? events.onText(data) : events.onBinary(data))
  socket.onclose = ({ code }) => events.onClose(code)
  return {
    send(data) {
      if (socket.readyState === WebSocket.OPEN) socket.send(data)
    },
    unsent: () => socket.bufferedAmount,
    close: () => socket.close(),
  }
}

/** Returns null for a page without a host, such as one saved to disk. */
function connect(beam: BeamId): WebSocket | null {
  if (location.host === '') {
    // biome-ignore lint/suspicious/noConsole: the specification's way to report it.
    console.error('Failed to get a valid URL')
    return null
  }
  const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:'
  return new WebSocket(`${scheme}//${location.host}/ws/beam/${beam}/`)
}
