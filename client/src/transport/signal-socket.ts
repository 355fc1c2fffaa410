/** The only file that says `WebSocket`. */
import type { BeamId } from '../protocol/bindings'

export interface SignalSocket {
  send(data: string | Uint8Array<ArrayBuffer>): void
  /** Bytes that were handed over and have not left yet. */
  unsent(): number
  close(): void
}

export interface SignalSocketEvents {
  onOpen(): void
  onText(text: string): void
  onBinary(bytes: ArrayBuffer): void
  /** Once, whoever closed. */
  onClose(code: number): void
}

export type OpenSignalSocket = (beam: BeamId, events: SignalSocketEvents) => SignalSocket

/** How a socket ends that never was. */
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

/** Null for a page that has no host, such as one that was saved to a disk. */
function connect(beam: BeamId): WebSocket | null {
  if (location.host === '') {
    // biome-ignore lint/suspicious/noConsole: the specification's way to report it.
    console.error('Failed to get a valid URL')
    return null
  }
  const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:'
  return new WebSocket(`${scheme}//${location.host}/ws/beam/${beam}/`)
}
