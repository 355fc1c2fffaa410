/** The built product in a process of its own: one binary, one port, one data folder. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const BINARY =
  process.env.HELIOGRAPH_BINARY ?? fileURLToPath(new URL('../../target/release/heliograph', import.meta.url))

const READY_WITHIN_MS = 15_000
/** The server ends within 15 s of the signal (S19). */
const GONE_WITHIN_MS = 20_000

/** Environment variables that an operator would set, `HELIOGRAPH_*` and others. */
export type Settings = Readonly<Record<string, string>>

export class Server {
  readonly origin: string
  readonly #port: number
  readonly #data: string
  readonly #settings: Settings
  readonly #log: string[] = []
  #process: ChildProcess | null = null

  private constructor(port: number, data: string, settings: Settings) {
    this.origin = `http://127.0.0.1:${port}`
    this.#port = port
    this.#data = data
    this.#settings = settings
  }

  /** Starts the product with an empty data folder and waits until it answers. */
  static async start(settings: Settings = {}): Promise<Server> {
    const data = await mkdtemp(join(tmpdir(), 'heliograph-data-'))
    const server = new Server(await freePort(), data, settings)
    await server.up()
    return server
  }

  get pid(): number {
    const pid = this.#process?.pid
    if (pid === undefined) throw new Error('the server is not running')
    return pid
  }

  /** The folder of stored files, unless a setting names another place. */
  get blobs(): string {
    return join(this.#data, 'blobs')
  }

  /** Everything that the process has printed. */
  get log(): string {
    return this.#log.join('')
  }

  /** Starts the process with the same port and data as before. */
  async up(): Promise<void> {
    const args = ['serve', '--listen', `127.0.0.1:${this.#port}`, '--data', this.#data]
    // Servers of other tests may have the port of TURN, so those that need it name another.
    const env = { ...process.env, HELIOGRAPH_TURN: 'off', ...this.#settings }
    const child = spawn(BINARY, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#process = child
    child.stdout.on('data', (text: Buffer) => this.#log.push(text.toString()))
    child.stderr.on('data', (text: Buffer) => this.#log.push(text.toString()))
    child.on('error', (error) => this.#log.push(`${error.message}\n`))
    await this.#ready(child)
  }

  /** Asks the process to end, and waits until it has. Returns its exit code. */
  async down(): Promise<number | null> {
    const child = this.#process
    this.#process = null
    if (!child || child.exitCode !== null) return child?.exitCode ?? null
    const gone = once(child, 'exit')
    child.kill('SIGTERM')
    const late = setTimeout(() => child.kill('SIGKILL'), GONE_WITHIN_MS)
    const [code] = (await gone) as [number | null]
    clearTimeout(late)
    return code
  }

  /** Kills the process, as a power cut would. */
  async dies(): Promise<void> {
    const child = this.#process
    this.#process = null
    if (!child) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }

  /** Ends the process and removes its data. */
  async stop(): Promise<void> {
    await this.down()
    await rm(this.#data, { recursive: true, force: true })
  }

  async #ready(child: ChildProcess): Promise<void> {
    const deadline = performance.now() + READY_WITHIN_MS
    while (performance.now() < deadline) {
      if (child.exitCode !== null || child.pid === undefined) break
      if (await isHealthy(this.origin)) return
      await pause(25)
    }
    throw new Error(`${BINARY} did not get ready:\n${this.log}`)
  }
}

async function isHealthy(origin: string): Promise<boolean> {
  try {
    return (await fetch(`${origin}/healthz`)).ok
  } catch {
    return false
  }
}

/** Returns a port that is free now. */
export async function freePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  listener.close()
  await once(listener, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
