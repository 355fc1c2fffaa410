/**
 * A process that moves files over connections and does nothing else: one port writes what comes to a file, syncs it, and
 * answers with its length; the other answers every request with that file.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { fileURLToPath } from 'node:url'
import { ontoDisk } from './plain-http.ts'

interface Ports {
  readonly takes: number
  readonly gives: number
}

/** As the product reads files (`storage/src/blobs`). */
const READ_BYTES = 256 * 1024

/** The process, as the benchmark sees it. */
export class BareServer {
  readonly #process: ChildProcess
  readonly #ports: Ports

  private constructor(process: ChildProcess, ports: Ports) {
    this.#process = process
    this.#ports = ports
  }

  /** Starts the process, whose file lies at this path. */
  static async start(path: string): Promise<BareServer> {
    const child = fork(fileURLToPath(import.meta.url), [path])
    const [ports] = (await once(child, 'message')) as [Ports]
    return new BareServer(child, ports)
  }

  /** The address that answers with the file. */
  get url(): string {
    return `http://127.0.0.1:${this.#ports.gives}/`
  }

  /** Sends bytes and waits until they are on the disk. Returns their number. */
  async receive(content: Iterable<Buffer>): Promise<number> {
    const socket = connect({ host: '127.0.0.1', port: this.#ports.takes })
    const said: Buffer[] = []
    socket.on('data', (bytes) => said.push(bytes))
    for (const bytes of content) if (!socket.write(bytes)) await once(socket, 'drain')
    socket.end()
    await once(socket, 'end')
    return Number(Buffer.concat(said).toString())
  }

  async stop(): Promise<void> {
    const gone = once(this.#process, 'exit')
    this.#process.kill()
    await gone
  }
}

const [, , path] = process.argv
if (process.send && path) {
  const taking = createServer({ allowHalfOpen: true }, async (socket) => {
    const length = await ontoDisk(path, async (write) => {
      socket.on('data', write)
      await once(socket, 'end')
    })
    socket.end(String(length))
  })
  const giving = createServer((socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      createReadStream(path, { highWaterMark: READ_BYTES }).pipe(socket)
    })
  })
  const [takes, gives] = await Promise.all([listening(taking), listening(giving)])
  process.send({ takes, gives } satisfies Ports)
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return address && typeof address === 'object' ? address.port : 0
}
