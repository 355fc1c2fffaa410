import { afterEach, expect, it, vi } from 'vitest'
import { newArchiveFile, sweepArchives } from './archive-file'
import { hasLocks } from './locks-stage'

afterEach(() => vi.unstubAllGlobals())

const HOUR_MS = 60 * 60 * 1000

/** A disk with these archives, each with the time of its last change in milliseconds. */
function disk(there: Record<string, number> = {}, isFull = false) {
  const files = new Map(Object.entries(there))
  const handle = (name: string) => ({
    kind: 'file',
    getFile: async () => ({ name, lastModified: files.get(name) }),
    createWritable: async () => {
      if (isFull) throw new DOMException('', 'QuotaExceededError')
      return new WritableStream()
    },
  })
  const folder = {
    getFileHandle: async (name: string) => {
      files.set(name, 0)
      return handle(name)
    },
    removeEntry: async (name: string) => void files.delete(name),
    async *entries() {
      for (const name of files.keys()) yield [name, handle(name)]
    },
  }
  vi.stubGlobal('FileSystemFileHandle', { prototype: { createWritable: () => {} } })
  hasLocks({ storage: { getDirectory: async () => ({ getDirectoryHandle: async () => folder }) } })
  return files
}

it('removes the archives that the browser has copied by now, and no others', async () => {
  const files = disk({ old: 0, fresh: HOUR_MS })
  await sweepArchives(HOUR_MS + 1)
  expect([...files.keys()]).toEqual(['fresh'])
})

it('removes none that is still being made, however long that takes', async () => {
  const files = disk()
  const archive = await newArchiveFile('slow')
  await sweepArchives(2 * HOUR_MS)
  expect([...files.keys()]).toEqual(['slow'])
  await archive?.file()
  await sweepArchives(2 * HOUR_MS)
  expect(files.size).toBe(0)
})

it('leaves nothing behind where the disk is full, and takes no memory instead', async () => {
  const files = disk({}, true)
  await expect(newArchiveFile('a')).rejects.toMatchObject({ name: 'QuotaExceededError' })
  expect(files.size).toBe(0)
  // Nothing holds its name any longer.
  await expect(newArchiveFile('a')).rejects.toMatchObject({ name: 'QuotaExceededError' })
})

it('says so where the browser gives no disk, or none that a page writes to', async () => {
  disk()
  vi.stubGlobal('FileSystemFileHandle', { prototype: {} })
  expect(await newArchiveFile('a')).toBeNull()
  vi.stubGlobal('navigator', {})
  expect(await newArchiveFile('a')).toBeNull()
  await sweepArchives(0)
})
