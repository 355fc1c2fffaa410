/** The program `heliograph-device` in a process of its own. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from '@playwright/test'

const PROGRAM =
  process.env.HELIOGRAPH_DEVICE ??
  fileURLToPath(new URL('../../target/debug/heliograph-device', import.meta.url))

/** Where it runs. */
export interface Place {
  /** The words in front of a command that has to run on another machine. */
  readonly enter?: readonly string[]
  /** The folder in which it remembers what it has received. */
  readonly state?: string
}

/** What it remembers of received files is none of this machine's own. */
const STATE = join(tmpdir(), 'heliograph-terminal-state')

/** The words of pictures, which a page and a terminal space in other ways. */
export function namesIn(pictures: string): string {
  return pictures.replace(/[^A-Za-z]/g, '')
}

export class Terminal {
  readonly #process: ChildProcessWithoutNullStreams
  readonly #ended: Promise<unknown[]>
  #out = ''
  #err = ''

  private constructor(words: readonly string[], link: string | null, { enter = [], state = STATE }: Place) {
    const { HELIOGRAPH_LINK: _, ...others } = process.env
    const own = { ...others, XDG_STATE_HOME: state }
    const env = link === null ? own : { ...own, HELIOGRAPH_LINK: link }
    const [program = PROGRAM, ...args] = [...enter, PROGRAM, ...words]
    this.#process = spawn(program, args, { env })
    this.#ended = once(this.#process, 'exit')
    this.#process.stdout.on('data', (text: Buffer) => {
      this.#out += text.toString()
    })
    this.#process.stderr.on('data', (text: Buffer) => {
      this.#err += text.toString()
    })
  }

  /** Runs a command. The link does not go into its words, where others on the machine could read it. */
  static runs(words: readonly string[], link: string | null = null, place: Place = {}): Terminal {
    return new Terminal(words, link, place)
  }

  /** Ends it as a power cut would. */
  async isKilled(): Promise<void> {
    this.#process.kill('SIGKILL')
    await this.#ended
  }

  /** The link of the beam that it has made. */
  async link(): Promise<string> {
    const link = () => /https?:[^"\s]+[?]beam_id=[^"\s]+/.exec(this.#err + this.#out)?.[0]
    await expect.poll(link, { message: this.#err }).toBeTruthy()
    return link() ?? ''
  }

  async prints(text: string, within: { timeout?: number } = {}): Promise<void> {
    await expect.poll(() => this.#out, within).toContain(text)
  }

  /** Waits until it says something beside what it prints. */
  async says(text: string): Promise<void> {
    await expect.poll(() => this.#err).toContain(text)
  }

  /** The names of the pictures that it shows to be compared. */
  async pictures(): Promise<string> {
    const shown = () => this.#err.split('\n').find((line) => line.startsWith('    '))
    await expect.poll(shown).toBeDefined()
    return namesIn(shown() ?? '')
  }

  types(line: string): void {
    this.#process.stdin.write(`${line}\n`)
  }

  /** Waits for its end. Returns what it has printed, and its exit code. */
  async ends(): Promise<{ out: string; code: number | null }> {
    this.#process.stdin.end()
    const [code] = (await this.#ended) as [number | null]
    return { out: this.#out, code }
  }
}
