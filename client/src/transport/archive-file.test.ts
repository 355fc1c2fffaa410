import { afterEach, expect, it, vi } from 'vitest'
import { newArchiveFile, sweepArchives } from './archive-file'

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
  vi.stubGlobal('navigator', {
    storage: { getDirectory: async () => ({ getDirectoryHandle: async () => folder }) },
  })
  return files
}

it('removes the archives that the browser has copied by now, and no others', async () => {
  const files = disk({ old: 0, fresh: HOUR_MS })
  await sweepArchives(HOUR_MS + 1)
  expect([...files.keys()]).toEqual(['fresh'])
})

it('leaves nothing behind of an archive that cannot be written', async () => {
  const files = disk({}, true)
  expect(await newArchiveFile('a')).toBeNull()
  expect(files.size).toBe(0)
})

it('says so where the browser gives no disk, or none that a page writes to', async () => {
  disk()
  vi.stubGlobal('FileSystemFileHandle', { prototype: {} })
  expect(await newArchiveFile('a')).toBeNull()
  vi.stubGlobal('navigator', {})
  expect(await newArchiveFile('a')).toBeNull()
  await sweepArchives(0)
})
