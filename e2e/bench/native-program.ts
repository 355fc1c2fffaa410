/** The native device in a process of its own, as its lines of JSON tell of it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const PROGRAM =
  process.env.HELIOGRAPH_DEVICE ??
  fileURLToPath(new URL('../../target/release/heliograph-device', import.meta.url))

/** Where a program runs, and what it finds there. */
export interface Surroundings {
  /** The words in front of a command that has to run on another machine. */
  readonly enter?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

interface Told {
  readonly event: string
  readonly link?: string
  readonly state?: string
  readonly bytes?: number
  readonly via?: string | null
  readonly message?: string
}

export class NativeProgram {
  readonly #process: ChildProcess
  readonly #state: string
  readonly #told: Told[] = []
  readonly #waiting = new Set<() => void>()

  private constructor(words: readonly string[], state: string, { enter = [], env = {} }: Surroundings) {
    this.#state = state
    const [program = PROGRAM, ...args] = [...enter, PROGRAM, ...words, '--json']
    // What it remembers of earlier runs would make a second one shorter.
    const all = { ...process.env, XDG_STATE_HOME: state, ...env }
    this.#process = spawn(program, args, { env: all, stdio: ['ignore', 'pipe', 'inherit'] })
    const lines = createInterface({ input: this.#process.stdout ?? process.stdin })
    lines.on('line', (line) => {
      this.#told.push(JSON.parse(line))
      for (const look of this.#waiting) look()
    })
    this.#process.on('exit', () => {
      for (const look of this.#waiting) look()
    })
  }

  static async with<T>(
    words: readonly string[],
    surroundings: Surroundings,
    use: (program: NativeProgram) => Promise<T>,
  ): Promise<T> {
    const state = await mkdtemp(join(tmpdir(), 'heliograph-bench-'))
    const program = new NativeProgram(words, state, surroundings)
    try {
      return await use(program)
    } finally {
      await program.#stop()
    }
  }

  get pid(): number {
    return this.#process.pid ?? Number.NaN
  }

  /** Waits until it tells this. */
  async tells(wanted: (told: Told) => boolean): Promise<Told> {
    while (true) {
      const found = this.#told.find(wanted)
      if (found) return found
      if (this.#process.exitCode !== null)
        throw new Error(`it ended: ${JSON.stringify(this.#told.slice(-3))}`)
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiting.add(resolve)
      await promise
      this.#waiting.delete(resolve)
    }
  }

  /** The link of the beam that it has made. */
  async link(): Promise<string> {
    return (await this.tells(({ event }) => event === 'beam')).link ?? ''
  }

  async received(): Promise<void> {
    await this.tells(({ event }) => event === 'received')
  }

  /** The way that a file took. */
  get way(): string {
    return this.#told.findLast(({ via }) => via)?.via ?? 'none'
  }

  async #stop(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const gone = once(this.#process, 'exit')
      this.#process.kill('SIGKILL')
      await gone
    }
    await rm(this.#state, { recursive: true, force: true })
  }
}
