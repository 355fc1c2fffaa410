/**
 * The part of HTTP/1.1 that is needed to move one file: one connection and one large buffer, with no library between
 * socket and disk, so that a measurement of a server includes little of its client.
 */
import { once } from 'node:events'
import { closeSync, fsyncSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { connect, type Socket } from 'node:net'

const BUFFER = 1024 * 1024
const HEAD_END = '\r\n\r\n'

export interface Sending {
  method: 'POST' | 'PUT' | 'PATCH' | 'GET'
  url: string
  type: string
  /** Other headers, each with its value. */
  more?: readonly string[]
  /** Bytes of the body. */
  length: number
  body: Iterable<Buffer>
}

/** Sends a body and returns the body of the answer, whose status must be 2xx. */
export async function send(sending: Sending): Promise<string> {
  return (await exchange(sending)).body
}

/** Sends a body and returns the answer, whose status must be 2xx. */
export async function exchange({ method, url, type, more = [], length, body }: Sending) {
  const received: Buffer[] = []
  const socket = open(url, (bytes) => received.push(Buffer.from(bytes)))
  const ended = once(socket, 'end')
  const { host, pathname } = new URL(url)
  const headers = [
    `host: ${host}`,
    'connection: close',
    `content-type: ${type}`,
    `content-length: ${length}`,
    ...more,
  ]
  socket.write([`${method} ${pathname} HTTP/1.1`, ...headers].join('\r\n') + HEAD_END)
  for (const bytes of body) if (!socket.write(bytes)) await once(socket, 'drain')
  await ended
  const [head = '', said = ''] = Buffer.concat(received).toString().split(HEAD_END)
  check(head)
  return { head, body: said }
}

/** Downloads a file onto the disk and returns its number of bytes. */
export async function download(url: string, path: string): Promise<number> {
  return await ontoDisk(path, async (write) => {
    let head: string | null = ''
    const socket = open(url, (bytes) => {
      if (head === null) return write(bytes)
      head += bytes.toString('latin1')
      const end = head.indexOf(HEAD_END)
      if (end < 0) return
      check(head)
      write(Buffer.from(head.slice(end + HEAD_END.length), 'latin1'))
      head = null
    })
    const { pathname, host } = new URL(url)
    socket.write(`GET ${pathname} HTTP/1.1\r\nhost: ${host}\r\nconnection: close${HEAD_END}`)
    await once(socket, 'end')
  })
}

/** Copies a file and returns its number of bytes. */
export async function copy(from: string, to: string): Promise<number> {
  const file = openSync(from, 'r')
  const buffer = Buffer.alloc(BUFFER)
  try {
    return await ontoDisk(to, async (write) => {
      for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer))
        write(buffer.subarray(0, read))
    })
  } finally {
    closeSync(file)
  }
}

/** Writes a file, waits until it is synced to the disk, and returns its number of bytes. */
export async function ontoDisk(
  path: string,
  fill: (write: (bytes: Buffer) => void) => Promise<void>,
): Promise<number> {
  rmSync(path, { force: true })
  const file = openSync(path, 'w')
  let length = 0
  try {
    await fill((bytes) => {
      writeSync(file, bytes)
      length += bytes.length
    })
    fsyncSync(file)
    return length
  } finally {
    closeSync(file)
  }
}

/** Opens a connection that receives into one buffer, reused for every read. */
function open(url: string, onBytes: (bytes: Buffer) => void): Socket {
  const { hostname, port } = new URL(url)
  const callback = (read: number, buffer: Uint8Array) => {
    onBytes(Buffer.from(buffer.buffer, buffer.byteOffset, read))
    return true
  }
  const onread = { buffer: Buffer.alloc(BUFFER), callback }
  return connect({ host: hostname, port: Number(port), onread })
}

function check(head: string): void {
  if (!/^HTTP\/1\.1 2\d\d /.test(head)) throw new Error(head)
}
