/** The built product in a process of its own: one binary, one port, one data folder. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const BINARY =
  process.env.HELIOGRAPH_BINARY ?? fileURLToPath(new URL('../../target/release/heliograph', import.meta.url))

const READY_WITHIN_MS = 15_000
/** The server ends within 15 s of the signal (S19). */
const GONE_WITHIN_MS = 20_000

/** Environment variables that an operator would set, `HELIOGRAPH_*` and others. */
export type Settings = Readonly<Record<string, string>>

/** Where a server runs. */
export interface Place {
  /** The address at which it listens, or `[::]` for all. */
  readonly listen: string
  /** The host in the address of its page. */
  readonly host: string
  readonly port: number
  /** The words in front of a command that has to run there. */
  readonly enter: readonly string[]
}

export class Server {
  readonly origin: string
  readonly #place: Place
  readonly #data: string
  readonly #settings: Settings
  readonly #log: string[] = []
  #process: ChildProcess | null = null

  private constructor(place: Place, data: string, settings: Settings) {
    this.origin = `http://${place.host}:${place.port}`
    this.#place = place
    this.#data = data
    this.#settings = settings
  }

  /**
   * Starts the product with an empty data folder and waits until it answers. It is on loopback without a place.
   * @param disk the folder in which its data folder is made
   */
  static async start(settings: Settings = {}, place?: Place, disk = tmpdir()): Promise<Server> {
    const data = await mkdtemp(join(disk, 'heliograph-data-'))
    const server = new Server(place ?? (await loopback()), data, settings)
    await server.up()
    return server
  }

  get pid(): number {
    const pid = this.#process?.pid
    if (pid === undefined) throw new Error('the server is not running')
    return pid
  }

  /** The folder of everything that it stores. */
  get data(): string {
    return this.#data
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
    const { listen, port, enter } = this.#place
    const [program = BINARY, ...args] = [...enter, BINARY, 'serve', '--listen', `${listen}:${port}`]
    // Servers of other tests may have the port of TURN, so those that need it name another. How full this machine's
    // disk is says nothing about the product.
    const env = { ...process.env, HELIOGRAPH_TURN: 'off', HELIOGRAPH_DISK_SHARE: '100', ...this.#settings }
    const child = spawn(program, [...args, '--data', this.#data], { env, stdio: ['ignore', 'pipe', 'pipe'] })
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
      if (await this.#isHealthy()) return
      await pause(25)
    }
    throw new Error(`${BINARY} did not get ready:\n${this.log}`)
  }

  async #isHealthy(): Promise<boolean> {
    const [program, ...words] = this.#place.enter
    const url = `${this.origin}/healthz`
    try {
      if (program === undefined) return (await fetch(url)).ok
      const script = `process.exit((await fetch('${url}')).ok ? 0 : 1)`
      await promisify(execFile)(program, [...words, process.execPath, '--input-type=module', '-e', script])
      return true
    } catch {
      return false
    }
  }
}

/** Runs a command of the program, and returns what it prints. */
export async function says(...words: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(BINARY, words)
  return stdout
}

/** A free port of this machine, which nobody else reaches. */
async function loopback(): Promise<Place> {
  return { listen: '127.0.0.1', host: '127.0.0.1', port: await freePort(), enter: [] }
}

/** How many ports a process that runs tests has for itself, and the first of all of them. */
const PORTS_EACH = 2_000
const FIRST_PORT = 24_000
let asked = 0

/** Returns a port that is free now. It is below those that Linux gives away by itself, and no other test is given it. */
export async function freePort(): Promise<number> {
  const first = FIRST_PORT + PORTS_EACH * (Number(process.env.TEST_PARALLEL_INDEX ?? 0) % 4)
  for (let at = 0; at < PORTS_EACH; at += 1) {
    const port = first + (asked % PORTS_EACH)
    asked += 1
    const listener = createServer().listen(port, '127.0.0.1')
    const isFree = await once(listener, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    listener.close()
    await once(listener, 'close')
    return port
  }
  throw new Error('no port')
}
