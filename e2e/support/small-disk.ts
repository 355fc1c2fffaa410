/** A small disk, in memory, that a test fills and makes room on. Only root may make one. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export class SmallDisk {
  readonly path: string

  private constructor(path: string) {
    this.path = path
  }

  static async make(bytes: number): Promise<SmallDisk> {
    const path = await mkdtemp(join(tmpdir(), 'heliograph-disk-'))
    await run('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', path])
    return new SmallDisk(path)
  }

  /** Fills it with another file, except for so many bytes. */
  async fillsUpTo(left: number): Promise<void> {
    const { bavail, bsize } = await statfs(this.path)
    await run('fallocate', ['-l', String(bavail * bsize - left), this.#ballast])
  }

  /** Deletes that file. */
  async makesRoom(): Promise<void> {
    await rm(this.#ballast)
  }

  async remove(): Promise<void> {
    // A browser that has just ended may hold it for a moment longer.
    await run('umount', ['--lazy', this.path])
    await rm(this.path, { recursive: true, force: true })
  }

  get #ballast(): string {
    return join(this.path, 'holiday.mp4')
  }
}
