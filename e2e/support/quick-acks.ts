/**
 * Spares tests in Firefox the 40 ms by which a small message of its driver arrives late, several times in each click.
 *
 * Firefox's end of WebDriver BiDi leaves Nagle's algorithm on (RFC 9293, 3.7.4): a second message waits until the first one is
 * acknowledged. Linux delays that acknowledgement by 40 ms, unless something is sent the other way. So the test sends a pong
 * that nobody asked for, which WebSockets allow (RFC 6455, 5.5.3) and Firefox ignores.
 */
import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'

/** An empty pong of a client. Firefox closes the connection at a mask of zeros. */
const PONG = Uint8Array.of(0x8a, 0x80, 1, 2, 3, 4)

/** What tells Firefox's own server from Heliograph, to which tests open WebSockets too. */
const FIREFOX = /^HTTP\/1\.1 101 .*\r\nserver: httpd\.js\r\n/is

let isOn = false

/** Does so for each Firefox that this process starts from now on. */
export function acknowledgesQuickly(): void {
  if (isOn) return
  isOn = true
  subscribe('net.client.socket', (message) => {
    const { socket } = message as { socket: Socket }
    socket.once('data', (answer) => {
      if (FIREFOX.test(answer.toString('latin1'))) socket.on('data', () => acknowledges(socket))
    })
  })
}

function acknowledges(socket: Socket): void {
  const { bytesWritten } = socket
  // A command that follows by itself acknowledges too.
  setImmediate(() => {
    if (socket.bytesWritten === bytesWritten && socket.writable) socket.write(PONG)
  })
}
