/** One end of a connection in a program that is no browser: `device/examples/link`, which the tests of Rust build. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const BUILT = process.env.CARGO_TARGET_DIR ?? fileURLToPath(new URL('../../target', import.meta.url))

export interface Told {
  readonly signal?: unknown
  readonly opened?: { readonly path: string; readonly maxFrame: number }
  readonly received?: { readonly bytes: number; readonly ms: number }
  readonly closed?: true
}

export class NativeLink {
  readonly #process: ChildProcess
  readonly #told: Told[] = []

  /** @param build the tests of Rust make the one for debugging, and `make bench` the other */
  constructor(options: readonly string[], build: 'debug' | 'release' = 'debug') {
    const program = `${BUILT}/${build}/examples/link`
    this.#process = spawn(program, options, { stdio: ['pipe', 'pipe', 'inherit'] })
    const lines = createInterface({ input: this.#process.stdout ?? process.stdin })
    lines.on('line', (line) => this.#told.push(JSON.parse(line)))
  }

  /** Returns what it told and was not heard yet. */
  hear(): readonly Told[] {
    return this.#told.splice(0)
  }

  tell(command: object): void {
    this.#process.stdin?.write(`${JSON.stringify(command)}\n`)
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    const gone = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await gone
  }
}
