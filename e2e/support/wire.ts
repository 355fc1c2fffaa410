/** A proxy before a server, of the product or of a bucket, that a test can slow down and cut, and that may refuse. */
import { once } from 'node:events'
import { STATUS_CODES } from 'node:http'
import { connect, createServer, type Server as Listener, type Socket } from 'node:net'

/** Milliseconds between two portions of a slowed wire. */
const PORTION_MS = 20

export class Wire {
  readonly origin: string
  readonly #listener: Listener
  readonly #target: URL
  readonly #sockets = new Set<Socket>()
  #bytesPerSecond = Number.POSITIVE_INFINITY
  #cutAt: string | null = null
  /** What every request is answered with, instead of reaching the server. */
  #refusal: string | null = null
  #refused = 0
  #carried = 0

  private constructor(listener: Listener, target: URL, port: number) {
    this.#listener = listener
    this.#target = target
    this.origin = `http://127.0.0.1:${port}`
    listener.on('connection', (client) => this.#join(client))
  }

  /** @param origin the address of the server */
  static async to(origin: string): Promise<Wire> {
    const listener = createServer().listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const address = listener.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    return new Wire(listener, new URL(origin), address.port)
  }

  /** Returns a link with its page loaded through this wire. */
  by(link: string): string {
    const { pathname, search, hash } = new URL(link)
    return `${this.origin}${pathname}${search}${hash}`
  }

  /** Limits the wire to this many bytes per second in each direction, over all connections together. */
  slowsTo(bytesPerSecond: number): void {
    this.#bytesPerSecond = bytesPerSecond
  }

  /** Cuts the next websocket on which the server sends this text, and does not forward the text. Happens once. */
  cutsAt(text: string): void {
    this.#cutAt = text
  }

  /** Answers each request with this status from now on. What is under way is cut. */
  refuses(status: 403 | 503): void {
    this.#refusal = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`
    this.cuts()
  }

  /** Lets requests through again. */
  allows(): void {
    this.#refusal = null
  }

  /** Cuts every connection that there is. */
  cuts(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Requests that were refused. */
  get refused(): number {
    return this.#refused
  }

  /** Bytes that have come from both sides. */
  get carried(): number {
    return this.#carried
  }

  get hasCut(): boolean {
    return this.#cutAt === null
  }

  async close(): Promise<void> {
    this.cuts()
    this.#listener.close()
    await once(this.#listener, 'close')
  }

  #join(client: Socket): void {
    if (this.#refusal !== null) return this.#refuse(client, this.#refusal)
    const server = connect(Number(this.#target.port), this.#target.hostname)
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        this.#sockets.delete(one)
        other.destroy()
      })
    }
    this.#pass(client, server, () => true)
    this.#pass(server, client, this.#watch())
  }

  #refuse(client: Socket, refusal: string): void {
    this.#sockets.add(client)
    client.on('error', () => client.destroy())
    client.on('close', () => this.#sockets.delete(client))
    client.once('data', () => {
      this.#refused += 1
      client.end(refusal)
    })
    // The rest of the request is read too: closed before, the connection would be reset, and the answer lost.
    client.resume()
  }

  /** Returns whether the server's bytes may pass. Only websockets are watched. */
  #watch(): (bytes: Buffer) => boolean {
    let isWebSocket = false
    return (bytes) => {
      isWebSocket ||= bytes.includes(' 101 Switching Protocols')
      if (!isWebSocket || this.#cutAt === null || !bytes.includes(this.#cutAt)) return true
      this.#cutAt = null
      return false
    }
  }

  #pass(from: Socket, to: Socket, mayPass: (bytes: Buffer) => boolean): void {
    from.on('data', (bytes) => {
      this.#carried += bytes.length
      if (!mayPass(bytes)) return from.destroy()
      from.pause()
      void this.#send(bytes, to).then(() => from.resume())
    })
  }

  async #send(bytes: Buffer, to: Socket): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const portion = Math.max(1, Math.floor((this.#bytesPerSecond * PORTION_MS) / 1_000))
      if (!to.destroyed && !to.write(bytes.subarray(at, at + portion))) await drained(to)
      at += portion
      if (at < bytes.length || Number.isFinite(this.#bytesPerSecond)) await portionPassed()
    }
  }
}

/** This wait does not stand in for an event: it is what makes the wire slow. */
function portionPassed(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PORTION_MS))
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('drain', resolve)
    socket.once('close', resolve)
  })
}
