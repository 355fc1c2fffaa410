/** Looks for marks in everything that a server has: its memory, its database, its files, what it prints and counts, and its traffic. */
import { open, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Server } from './server.ts'

/** Bytes of memory that are read at once. The end of each part is searched again with the next. */
const PART_BYTES = 4 * 1024 * 1024
const OVERLAP_BYTES = 1024

/** Where marks were found, each with its form, as `memory: title as base64`. */
export type Found = Set<string>

/** Text that is found nowhere else, in all forms in which a program may have it. */
export class Marks {
  /** By a name of what bears the mark and a name of the form. */
  readonly #forms: readonly { readonly name: string; readonly form: string; readonly bytes: Buffer }[]

  /** @param marks by the name of what bears them; ASCII, or bytes */
  constructor(marks: Readonly<Record<string, string | Buffer>>) {
    this.#forms = Object.entries(marks).flatMap(([name, mark]) =>
      formsOf(mark).map(({ form, bytes }) => ({ name, form, bytes })),
    )
  }

  /**
   * Looks everywhere.
   * @param metrics where the server tells its numbers; null where it tells none
   * @param traffic what its pages have told it and heard from it
   */
  async within(server: Server, metrics: string | null, traffic: readonly string[]): Promise<Found> {
    const found: Found = new Set()
    this.#look('log', Buffer.from(server.log), found)
    if (metrics !== null) this.#look('metrics', Buffer.from(await (await fetch(metrics)).text()), found)
    for (const said of traffic) this.#look('traffic', Buffer.from(said, 'latin1'), found)
    await this.#lookInFiles(server.data, found)
    await this.#lookInMemory(server.pid, found)
    return found
  }

  /** Looks in some bytes. */
  in(place: string, bytes: Buffer): Found {
    const found: Found = new Set()
    this.#look(place, bytes, found)
    return found
  }

  async #lookInFiles(folder: string, found: Found): Promise<void> {
    for (const name of await readdir(folder, { recursive: true })) {
      const path = join(folder, name)
      // Files come and go while the server works.
      const about = await stat(path).catch(() => null)
      if (!about?.isFile()) continue
      this.#look('file name', Buffer.from(name), found)
      this.#look('files', await readFile(path).catch(() => Buffer.alloc(0)), found)
    }
  }

  async #lookInMemory(pid: number, found: Found): Promise<void> {
    const maps = await readFile(`/proc/${pid}/maps`, 'utf8')
    const memory = await open(`/proc/${pid}/mem`)
    try {
      for (const line of maps.split('\n')) {
        const [, first = '', last = ''] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) ?? []
        if (first !== '')
          await this.#lookInRange(memory, Number.parseInt(first, 16), Number.parseInt(last, 16), found)
      }
    } finally {
      await memory.close()
    }
  }

  async #lookInRange(
    memory: Awaited<ReturnType<typeof open>>,
    first: number,
    last: number,
    found: Found,
  ): Promise<void> {
    const part = Buffer.alloc(PART_BYTES + OVERLAP_BYTES)
    for (let at = first; at < last; at += PART_BYTES) {
      const length = Math.min(part.length, last - at)
      // A range may be gone by now, or be of a device.
      const { bytesRead } = await memory.read(part, 0, length, at).catch(() => ({ bytesRead: 0 }))
      this.#look('memory', part.subarray(0, bytesRead), found)
    }
  }

  #look(place: string, bytes: Buffer, found: Found): void {
    for (const { name, form, bytes: mark } of this.#forms) {
      if (bytes.includes(mark)) found.add(`${place}: ${name} as ${form}`)
    }
  }
}

function formsOf(mark: string | Buffer): readonly { form: string; bytes: Buffer }[] {
  const plain = Buffer.from(mark)
  return [
    { form: 'text', bytes: plain },
    { form: 'hex', bytes: Buffer.from(plain.toString('hex')) },
    { form: 'hex', bytes: Buffer.from(plain.toString('hex').toUpperCase()) },
    { form: 'UTF-16', bytes: Buffer.from(plain.toString('latin1'), 'utf16le') },
    // Where it begins within three bytes decides what its base64 is.
    ...[0, 1, 2].flatMap((before) => {
      const whole = Buffer.concat([Buffer.alloc(before), plain]).toString('base64')
      const inner = whole.slice(before === 0 ? 0 : 4, Math.floor(((before + plain.length) * 8) / 6) - 1)
      return [
        { form: 'base64', bytes: Buffer.from(inner) },
        { form: 'base64', bytes: Buffer.from(inner.replaceAll('+', '-').replaceAll('/', '_')) },
      ]
    }),
  ]
}
