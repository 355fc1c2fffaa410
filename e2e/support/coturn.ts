/** A real coturn with the configuration that people are given, on an address of this machine. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Machine } from './network.ts'
import { freePort } from './server.ts'

const CONFIGURATION = fileURLToPath(new URL('../../turn/coturn.conf', import.meta.url))
const SECRET = 'a-secret-of-the-tests'
const READY_WITHIN_MS = 10_000
/** Type, length, magic cookie and transaction of a Binding request (RFC 8489, section 5). */
const BINDING = Buffer.from('00010000' + '2112a442' + '000102030405060708090a0b', 'hex')

export class Coturn {
  readonly #address: string
  readonly #port: number
  readonly #folder: string
  readonly #process: ChildProcess

  private constructor(address: string, port: number, folder: string, process: ChildProcess) {
    this.#address = address
    this.#port = port
    this.#folder = folder
    this.#process = process
  }

  static async start(address = '127.0.0.1', port?: number): Promise<Coturn> {
    const coturn = await Coturn.#spawned([], address, port ?? (await freePort()))
    await coturn.#answers()
    return coturn
  }

  /** Starts it on another machine, at TURN's own port. */
  static async on({ enter, address }: Pick<Machine, 'enter' | 'address'>): Promise<Coturn> {
    const coturn = await Coturn.#spawned(enter, address, 3478)
    const [program = '', ...words] = [...enter, 'turnutils_stunclient', '-p', '3478', address]
    // One that is not answered waits for ever.
    const asks = () =>
      promisify(execFile)(program, words, { timeout: 500 }).then(
        () => true,
        () => false,
      )
    for (let tries = 0; !(await asks()); tries += 1) if (tries === 100) throw new Error('coturn is not ready')
    return coturn
  }

  static async #spawned(enter: readonly string[], address: string, port: number): Promise<Coturn> {
    const folder = await mkdtemp(join(tmpdir(), 'heliograph-coturn-'))
    await writeFile(join(folder, 'secret'), `${SECRET}\n`)
    const options = [
      ...['-c', CONFIGURATION, '--static-auth-secret', SECRET, '--no-tls', '--no-dtls'],
      ...['--listening-ip', address, '--listening-port', `${port}`, '--relay-ip', address],
      // Both browsers are on this machine.
      ...['--allow-loopback-peers', `--allowed-peer-ip=${address}`],
      ...['--log-file', 'stdout', '--pidfile', join(folder, 'pid'), '--userdb', join(folder, 'users')],
    ]
    const [program = 'turnserver', ...words] = [...enter, 'turnserver', ...options]
    return new Coturn(address, port, folder, spawn(program, words, { stdio: 'ignore' }))
  }

  get pid(): number {
    return this.#process.pid ?? 0
  }

  /** The settings with which the product sends its devices here. */
  get settings(): Record<string, string> {
    return {
      HELIOGRAPH_TURN: `turn:${this.#address}:${this.#port}`,
      HELIOGRAPH_TURN_SECRET_FILE: join(this.#folder, 'secret'),
    }
  }

  async stop(): Promise<void> {
    const gone = once(this.#process, 'exit')
    this.#process.kill('SIGTERM')
    await gone
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #answers(): Promise<void> {
    const socket = createSocket('udp4')
    const answer = once(socket, 'message')
    const deadline = performance.now() + READY_WITHIN_MS
    let isReady = false
    void answer.then(() => {
      isReady = true
    })
    while (!isReady && performance.now() < deadline) {
      socket.send(BINDING, this.#port, this.#address)
      await pause(50)
    }
    socket.close()
    if (!isReady) throw new Error('turnserver did not answer; is coturn installed?')
  }
}
