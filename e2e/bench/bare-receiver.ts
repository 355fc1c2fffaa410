/** A process that writes what one connection after the other sends to a file, syncs it, and answers with its length. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { ontoDisk } from './plain-http.ts'

/** The receiver, as the benchmark sees it. */
export class BareReceiver {
  readonly #process: ChildProcess
  readonly #port: number

  private constructor(process: ChildProcess, port: number) {
    this.#process = process
    this.#port = port
  }

  /** Starts the process, which writes to this path. */
  static async start(path: string): Promise<BareReceiver> {
    const child = fork(fileURLToPath(import.meta.url), [path])
    const [port] = (await once(child, 'message')) as [number]
    return new BareReceiver(child, port)
  }

  /** Sends bytes and waits until they are on the disk. Returns their number. */
  async receive(content: Iterable<Buffer>): Promise<number> {
    const socket = connect({ host: '127.0.0.1', port: this.#port })
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
  const server = createServer({ allowHalfOpen: true }, async (socket) => {
    const length = await ontoDisk(path, async (write) => {
      socket.on('data', write)
      await once(socket, 'end')
    })
    socket.end(String(length))
  })
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    if (address && typeof address === 'object') process.send?.(address.port)
  })
}
