/** A cable between two machines, with delay, loss and a rate that may change. Making one needs root. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Machine } from './network.ts'

const run = promisify(execFile)

const BINARY =
  process.env.HELIOGRAPH_WIRE ??
  fileURLToPath(new URL('../../target/release/heliograph-wire', import.meta.url))

export interface CableTraits {
  /** Milliseconds there and back. */
  readonly roundTrip: number
  /** Percent of the packets that are lost. */
  readonly loss?: number
  /** Megabits a second; any number without it. */
  readonly megabits?: number
  /** KiB that wait for a cable with a rate. What is more is lost. */
  readonly queue?: number
}

let cables = 0

export class Cable {
  readonly #process: ChildProcess

  private constructor(process: ChildProcess) {
    this.#process = process
  }

  /** Lays a cable. Each machine gets its address and reaches everything over it. */
  static async between(one: Machine, other: Machine, traits: CableTraits): Promise<Cable> {
    cables += 1
    const names = [`hg${process.pid}a${cables}`, `hg${process.pid}b${cables}`] as const
    // A new interface among those of other tests would be a change of network to their browsers, which ends what they load.
    const [program = '', ...args] = [...one.enter, BINARY, ...names, words(traits)]
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    await run('ip', ['-n', one.name, 'link', 'set', names[1], 'netns', other.name])
    const ends = [
      [names[0], one, other],
      [names[1], other, one],
    ] as const
    for (const [name, machine, peer] of ends) {
      await machine.runs('ip', 'address', 'add', machine.address, 'peer', peer.address, 'dev', name)
      await machine.runs('ip', 'link', 'set', name, 'txqueuelen', '4000', 'up')
      // Browsers only offer the address of the default route.
      await machine.runs('ip', 'route', 'add', 'default', 'dev', name)
    }
    return new Cable(child)
  }

  changesTo(traits: CableTraits): void {
    this.#process.stdin?.write(`${words(traits)}\n`)
  }

  async remove(): Promise<void> {
    const gone = once(this.#process, 'exit')
    this.#process.stdin?.end()
    await gone
  }
}

function words({ roundTrip, loss = 0, megabits = 0, queue = 3_000 }: CableTraits): string {
  return `${roundTrip / 2} ${loss} ${megabits} ${queue}`
}
