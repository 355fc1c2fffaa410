/** A proxy between a device and the server that a test can slow down and cut. */
import { once } from 'node:events'
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
  #sent = 0

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

  /** Bytes that went to the server. */
  get sent(): number {
    return this.#sent
  }

  get hasCut(): boolean {
    return this.#cutAt === null
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#listener.close()
    await once(this.#listener, 'close')
  }

  #join(client: Socket): void {
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
    this.#pass(client, server, (bytes) => {
      this.#sent += bytes.length
      return true
    })
    this.#pass(server, client, this.#watch())
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
