/** A small disk of its own, in memory, which a test fills and makes room on. Only root may make one. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export class SmallDisk {
  readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  static async make(bytes: number): Promise<SmallDisk> {
    const folder = await mkdtemp(join(tmpdir(), 'heliograph-disk-'))
    await run('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'heliograph-disk', folder])
    return new SmallDisk(folder)
  }

  /** Fills it with a file of somebody else, except for so many bytes. Others may write meanwhile, and take a part first. */
  async fills(left = 0): Promise<void> {
    let held = 0
    for (;;) {
      const length = (await this.free()) - left
      if (length <= 0) return
      if (await allocates(this.#ballast, held, length)) held += length
    }
  }

  /** Deletes that file. */
  async hasRoomAgain(): Promise<void> {
    await rm(this.#ballast)
  }

  /** Bytes that are free. */
  async free(): Promise<number> {
    const { bavail, bsize } = await statfs(this.folder)
    return bavail * bsize
  }

  async remove(): Promise<void> {
    // A browser that has just ended may hold it for a moment longer.
    await run('umount', ['--lazy', this.folder])
    await rm(this.folder, { recursive: true, force: true })
  }

  get #ballast(): string {
    return join(this.folder, 'ballast')
  }
}

/** Makes a file longer by so many bytes. Returns false, and leaves it as it was, when the disk has fewer. */
async function allocates(path: string, at: number, length: number): Promise<boolean> {
  try {
    await run('fallocate', ['-o', String(at), '-l', String(length), path])
    return true
  } catch (error) {
    if (String(error).includes('No space left on device')) return false
    throw error
  }
}
