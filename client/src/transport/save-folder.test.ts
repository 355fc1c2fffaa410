import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { hasLocks } from './locks-stage'
import { SavedTree, type SaveFolder, saveInto } from './save-folder'

beforeEach(() => hasLocks())
afterEach(() => vi.unstubAllGlobals())

/** A folder that refuses the names which Chromium refuses, and has a folder `old`. */
function fakeFolder({ isDenied = false, isFull = false } = {}) {
  const files = new Map<string, string>()
  const folder = {
    async getFileHandle(name: string, { create = false } = {}) {
      if (isDenied) throw new DOMException('', 'NotAllowedError')
      if (/[:"*?<>|\\/]|[. ]$|^desktop\.ini$/.test(name)) throw new TypeError('Name is not allowed.')
      if (name === 'old') throw new DOMException('', 'TypeMismatchError')
      if (!create && !files.has(name)) throw new DOMException('', 'NotFoundError')
      if (create) files.set(name, files.get(name) ?? '')
      const write = (bytes: Uint8Array) => {
        if (isFull) throw new DOMException('', 'QuotaExceededError')
        files.set(name, new TextDecoder().decode(bytes))
      }
      return { createWritable: async () => new WritableStream({ write }) }
    },
    async removeEntry(name: string) {
      files.delete(name)
    },
  }
  const saves = async (name: string) => {
    return saveInto(folder as unknown as SaveFolder, name, new Blob(['bytes']).stream())
  }
  return { saves, names: () => [...files.keys()] }
}

it.each([
  ['a.txt', 'a.txt'],
  ['talk 10:30?.txt', 'talk 10_30_.txt'],
  ['dots...', 'dots_'],
  ['desktop.ini', '_desktop.ini'],
  ['old', 'old (2)'],
  ['.gitignore', '.gitignore'],
  ['Cafe\u0301.txt', 'Cafe\u0301.txt'],
])('%s is saved as %s', async (name, saved) => {
  const { saves, names } = fakeFolder()
  // What it is saved as can be said.
  expect(await saves(name)).toBe(saved)
  expect(names()).toEqual([saved])
})

it('f24_two_files_of_one_name_that_are_saved_at_once_are_both_there', async () => {
  const { saves, names } = fakeFolder()
  expect(await Promise.all([saves('a.txt'), saves('a.txt'), saves('a.txt')])).toEqual([
    'a.txt',
    'a (2).txt',
    'a (3).txt',
  ])
  expect(names()).toHaveLength(3)
})

it('f24_two_folders_of_one_name_that_are_saved_at_once_do_not_mix', async () => {
  const { root, paths } = foldingDisk()
  await Promise.all([savesTree(root, ['P/a']), savesTree(root, ['P/a'])])
  expect(paths()).toEqual(['P (2)/', 'P (2)/a', 'P/', 'P/a'])
})

it('fails when the folder may no longer be used', async () => {
  const { saves } = fakeFolder({ isDenied: true })
  await expect(saves('a.txt')).rejects.toMatchObject({ name: 'NotAllowedError' })
})

it('leaves no empty file behind when the bytes cannot be written, and what is there stays', async () => {
  const { saves, names } = fakeFolder({ isFull: true })
  await expect(saves('a.txt')).rejects.toMatchObject({ name: 'QuotaExceededError' })
  expect(names()).toEqual([])
})

/** A disk that takes names for one that differ by case, as those of Windows and of Apple. Folders end with a slash. */
function foldingDisk(...there: string[]) {
  const entries = new Map(there.map((path) => [path.toLowerCase(), path]))
  const open = (path: string, other: string, { create = false } = {}) => {
    if (entries.has(other.toLowerCase())) throw new DOMException('', 'TypeMismatchError')
    const known = entries.get(path.toLowerCase())
    if (known === undefined && !create) throw new DOMException('', 'NotFoundError')
    entries.set(path.toLowerCase(), known ?? path)
    return known ?? path
  }
  const at = (parent: string): SaveFolder => ({
    name: parent,
    getFileHandle: async (name: string, options?: { create?: boolean }) => {
      open(`${parent}${name}`, `${parent}${name}/`, options)
      return { createWritable: async () => new WritableStream() } as FileSystemFileHandle
    },
    getDirectoryHandle: async (name, options) => at(open(`${parent}${name}/`, `${parent}${name}`, options)),
    removeEntry: async () => {},
  })
  return { root: at(''), paths: () => [...entries.values()].sort() }
}

async function savesTree(root: SaveFolder, files: readonly string[], folders: readonly string[] = []) {
  const tree = new SavedTree(root)
  for (const path of folders) await tree.make(path)
  for (const path of files) await tree.save(path, new Blob().stream(), new AbortController().signal)
}

it('f24_a_tree_is_saved_with_its_empty_folders', async () => {
  const { root, paths } = foldingDisk()
  await savesTree(root, ['P/a.jpg', 'P/x/b.jpg'], ['P/leer/leer'])
  expect(paths()).toEqual(['P/', 'P/a.jpg', 'P/leer/', 'P/leer/leer/', 'P/x/', 'P/x/b.jpg'])
})

it('f24_a_folder_that_is_there_keeps_what_it_has_and_the_new_one_gets_a_number', async () => {
  const { root, paths } = foldingDisk('P/', 'P/a.jpg')
  await savesTree(root, ['P/a.jpg', 'P/b.jpg'])
  expect(paths()).toEqual(['P (2)/', 'P (2)/a.jpg', 'P (2)/b.jpg', 'P/', 'P/a.jpg'])
})

it('f24_names_that_the_disk_takes_for_one_are_both_saved', async () => {
  const { root, paths } = foldingDisk()
  await savesTree(root, ['P/A.txt', 'P/a.TXT', 'P/b', 'P/B/c'])
  expect(paths()).toEqual(['P/', 'P/A.txt', 'P/B (2)/', 'P/B (2)/c', 'P/a (2).TXT', 'P/b'])
})
