/** Files for tests, generated on demand, with their SHA-256 for comparison. */
import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, open, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const KB = 1_000
export const MB = 1_000_000
/** The unit in which a system counts what a file takes of the disk. */
const BLOCK = 512

export interface TestFile {
  readonly name: string
  readonly path: string
  readonly size: number
  readonly sha256: string
}

/** The folder for the files of one test. */
export class Folder {
  readonly path: string

  private constructor(path: string) {
    this.path = path
  }

  static async make(): Promise<Folder> {
    return new Folder(await mkdtemp(join(tmpdir(), 'heliograph-files-')))
  }

  /** Runs a function with a folder, and removes the folder. */
  static async with<T>(run: (folder: Folder) => Promise<T>): Promise<T> {
    const folder = await Folder.make()
    try {
      return await run(folder)
    } finally {
      await folder.remove()
    }
  }

  /** Writes a file in which no two blocks are equal, so that a misplaced chunk is noticed. */
  async file(name: string, size: number): Promise<TestFile> {
    const path = join(this.path, name)
    const hash = createHash('sha256')
    const block = randomBytes(Math.max(1, Math.min(size, 1 << 20)))
    const file = await open(path, 'w')
    for (let at = 0; at < size; at += block.length) {
      const part = block.subarray(0, Math.min(block.length, size - at))
      // A number at the start of a random block makes it unique, which is far cheaper than fresh random bytes.
      if (part.length >= 8) part.writeDoubleBE(at)
      hash.update(part)
      await file.write(part)
    }
    await file.close()
    return { name, path, size, sha256: hash.digest('hex') }
  }

  /** Makes a file of zeros that takes no disk. Its SHA-256 is not told, because it would take a minute. */
  async sparse(name: string, size: number): Promise<TestFile> {
    const path = join(this.path, name)
    await writeFile(path, '')
    await truncate(path, size)
    return { name, path, size, sha256: '' }
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true })
  }
}

/** SHA-256 of a file, in lower-case hexadecimal. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const part of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(part as Buffer)
  return hash.digest('hex')
}

/** Returns how many bytes of the disk a folder takes, with all that is in it now. */
export async function bytesOnDisk(path: string): Promise<number> {
  const entries = await readdir(path, { withFileTypes: true, recursive: true })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await Promise.all(
    // A browser removes files at any time.
    files.map(({ parentPath, name }) => stat(join(parentPath, name)).catch(() => null)),
  )
  return sizes.reduce((sum, found) => sum + (found?.blocks ?? 0) * BLOCK, 0)
}
