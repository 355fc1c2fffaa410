/** A small disk of its own, which a test fills. Making one needs root. */
import { execFile } from 'node:child_process'
import { mkdtemp, open, rm, rmdir, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const BLOCK = Buffer.alloc(1024 * 1024)

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

  /** Fills it to the last byte with a file of somebody else. */
  async fills(): Promise<void> {
    const file = await open(this.#ballast, 'a')
    try {
      for (let size = BLOCK.length; size > 0; size = Math.floor(size / 2)) {
        while (await hasRoomFor(BLOCK.subarray(0, size))) {}
      }
    } finally {
      await file.close()
    }

    async function hasRoomFor(bytes: Buffer): Promise<boolean> {
      try {
        await file.appendFile(bytes)
        return true
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
        return false
      }
    }
  }

  /** Removes that file. */
  async hasRoomAgain(): Promise<void> {
    await rm(this.#ballast)
  }

  /** Bytes that are free. */
  async free(): Promise<number> {
    const { bavail, bsize } = await statfs(this.folder)
    return bavail * bsize
  }

  async remove(): Promise<void> {
    await run('umount', [this.folder])
    await rmdir(this.folder)
  }

  get #ballast(): string {
    return join(this.folder, 'ballast')
  }
}
