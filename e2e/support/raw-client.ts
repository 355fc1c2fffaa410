/**
 * A websocket client (RFC 6455) that can misbehave: it sends what no browser and no library would, and can stop
 * reading.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export const OPCODE = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

interface Message {
  type: string
  message: unknown
  extra?: unknown
}

export class RawClient {
  /** The close code of the server; 1006 when it sent none. */
  readonly closed: Promise<number>
  /** Every text message that came. */
  readonly heard: Message[] = []
  /** Every binary message that came. */
  readonly frames: Buffer[] = []
  readonly #socket: Socket
  readonly #messages: Message[] = []
  #unread: Buffer
  #closeCode = 1006
  #arrived: () => void = () => {}

  private constructor(socket: Socket, unread: Buffer) {
    this.#socket = socket
    this.#unread = unread
    // The test decides whether a reset by the server is a failure.
    socket.on('error', () => {})
    socket.on('data', (bytes: Buffer) => this.#read(bytes))
    this.closed = new Promise((resolve) => socket.on('close', () => resolve(this.#closeCode)))
  }

  /** Connects to the beam of a link and sends `auth` as a guest. */
  static async joins(link: string): Promise<RawClient> {
    return RawClient.#joins(link, { extra: { v: 1, caps: ['files'], name: 'Raw' } })
  }

  /** The same as a device that seals, which then says nothing, as one that is asleep. */
  static joinsAsleep(link: string): Promise<RawClient> {
    return RawClient.#joins(link, { extra: { v: 1, caps: ['files', 'e2e1'], name: 'Asleep' } })
  }

  /** The same as a plain device, which says nothing of itself (S3). */
  static joinsPlain(link: string): Promise<RawClient> {
    return RawClient.#joins(link, {})
  }

  static async #joins(link: string, more: object): Promise<RawClient> {
    const client = await RawClient.connects(link)
    client.send({ type: 'auth', message: null, ...more })
    await client.next('auth_success')
    return client
  }

  /** Connects with these cookies and sends nothing. */
  static async connects(link: string, cookies = ''): Promise<RawClient> {
    const { hostname, port, host, searchParams } = new URL(link)
    const socket = connect(Number(port), hostname)
    socket.write(
      [
        `GET /ws/beam/${searchParams.get('beam_id')}/ HTTP/1.1`,
        `Host: ${host}`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
        ...(cookies ? [`Cookie: ${cookies}`] : []),
        '\r\n',
      ].join('\r\n'),
    )
    return new RawClient(socket, await upgraded(socket))
  }

  send(message: object): void {
    this.sendFrame(OPCODE.text, Buffer.from(JSON.stringify(message)))
  }

  /** Sends one whole frame. Returns false when the server reads more slowly than this client sends. */
  sendFrame(opcode: number, payload: Buffer): boolean {
    this.#socket.cork()
    this.#socket.write(frameHead(opcode, payload.length))
    // An all-zero mask is allowed and leaves the payload unchanged.
    const taken = this.#socket.write(payload)
    this.#socket.uncork()
    return taken
  }

  /** Waits until what was sent has left this process, or the socket has closed. */
  async drained(): Promise<void> {
    if (this.#socket.destroyed || !this.#socket.writableNeedDrain) return
    await Promise.race([once(this.#socket, 'drain'), this.closed])
  }

  /** Returns the next message of this type and drops those before it. */
  async next(type: string): Promise<Message> {
    for (;;) {
      const message = this.#messages.shift()
      if (message?.type === type) return message
      if (message) continue
      await new Promise<void>((resolve) => {
        this.#arrived = resolve
      })
    }
  }

  /** Stops reading from the network, so that the server's buffers fill. */
  stopsReading(): void {
    this.#socket.pause()
  }

  leaves(): void {
    this.#socket.destroy()
  }

  #read(bytes: Buffer): void {
    this.#unread = Buffer.concat([this.#unread, bytes])
    for (let frame = parseFrame(this.#unread); frame; frame = parseFrame(this.#unread)) {
      this.#unread = this.#unread.subarray(frame.end)
      this.#take(frame.opcode, frame.payload)
    }
    this.#arrived()
  }

  #take(opcode: number, payload: Buffer): void {
    if (opcode === OPCODE.text && payload[0] === 0x7b) {
      const message: Message = JSON.parse(payload.toString())
      this.heard.push(message)
      this.#messages.push(message)
    }
    if (opcode === OPCODE.binary) this.frames.push(payload)
    if (opcode === OPCODE.ping) this.sendFrame(OPCODE.pong, payload)
    if (opcode === OPCODE.close) {
      this.#closeCode = payload.length >= 2 ? payload.readUInt16BE() : 1005
      this.sendFrame(OPCODE.close, payload)
      this.#socket.end()
    }
  }
}

/** Reads the answer to the upgrade, and returns the bytes after it. */
async function upgraded(socket: Socket): Promise<Buffer> {
  let answer = Buffer.alloc(0)
  while (!answer.includes('\r\n\r\n')) {
    const [bytes] = (await once(socket, 'data')) as [Buffer]
    answer = Buffer.concat([answer, bytes])
  }
  const status = answer.toString('latin1').split('\r\n', 1)[0] ?? ''
  if (!status.includes(' 101 ')) throw new Error(`no websocket: ${status}`)
  return answer.subarray(answer.indexOf('\r\n\r\n') + 4)
}

function frameHead(opcode: number, length: number): Buffer {
  const mask = Buffer.alloc(4)
  const first = 0x80 | opcode
  if (length < 126) return Buffer.concat([Buffer.from([first, 0x80 | length]), mask])
  const head = Buffer.alloc(length < 65_536 ? 4 : 10)
  head[0] = first
  head[1] = 0x80 | (length < 65_536 ? 126 : 127)
  if (length < 65_536) head.writeUInt16BE(length, 2)
  else head.writeBigUInt64BE(BigInt(length), 2)
  return Buffer.concat([head, mask])
}

/** Returns the first whole frame; null when there is none. Servers do not mask, and this one does not fragment. */
function parseFrame(bytes: Buffer): { opcode: number; payload: Buffer; end: number } | null {
  const [first, second] = bytes
  if (first === undefined || second === undefined) return null
  const short = second & 0x7f
  const start = short === 127 ? 10 : short === 126 ? 4 : 2
  if (bytes.length < start) return null
  const length = start === 10 ? Number(bytes.readBigUInt64BE(2)) : start === 4 ? bytes.readUInt16BE(2) : short
  const end = start + length
  return bytes.length < end ? null : { opcode: first & 0x0f, payload: bytes.subarray(start, end), end }
}
