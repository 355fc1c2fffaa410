/** The only file that says `WebSocket`. */
import type { BeamId } from '../protocol/bindings'

export interface SignalSocket {
  send(data: string | Uint8Array<ArrayBuffer>): void
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

/** Opens the live channel of a beam on the page's own host. */
export const openSignalSocket: OpenSignalSocket = (beam, events) => {
  const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:'
  const socket = new WebSocket(`${scheme}//${location.host}/ws/beam/${beam}/`)
  socket.binaryType = 'arraybuffer'
  socket.onopen = () => events.onOpen()
  socket.onmessage = ({ data }) => (typeof data === 'string' ? events.onText(data) : events.onBinary(data))
  socket.onclose = ({ code }) => events.onClose(code)
  return {
    send(data) {
      if (socket.readyState === WebSocket.OPEN) socket.send(data)
    },
    close: () => socket.close(),
  }
}
