import { describe, expect, it } from 'vitest'
import { droppedFiles, droppedTexts } from './dropped'

const file = (name: string) => ({
  name,
  isFile: true,
  isDirectory: false,
  file: (done: (file: File) => void) => done(new File([name], name)),
})

const unreadable = (name: string) => ({
  ...file(name),
  file: (_done: unknown, fail: (why: Error) => void) => fail(new DOMException('', 'NotReadableError')),
})

/** A folder that returns its entries two at a time, as a browser returns a hundred at a time. */
const folder = (name: string, ...entries: unknown[]) => ({
  name,
  isFile: false,
  isDirectory: true,
  createReader: () => {
    const left = [...entries]
    return { readEntries: (done: (part: unknown[]) => void) => done(left.splice(0, 2)) }
  },
})

const lockedFolder = (name: string) => ({
  ...folder(name),
  createReader: () => ({
    readEntries: (_done: unknown, fail: (why: Error) => void) =>
      fail(new DOMException('', 'NotReadableError')),
  }),
})

/** A drop whose data is emptied as soon as the event was handled, as in a browser. */
async function drop(entries: unknown[], files: File[] = []) {
  const transfer = { items: entries.map((entry) => ({ webkitGetAsEntry: () => entry })), files }
  const found = droppedFiles(transfer as unknown as DataTransfer)
  transfer.items.length = 0
  transfer.files.length = 0
  const { files: loose, folders, unreadable } = await found
  const trees = folders.map((one) => [one.name, one.files.map(({ path }) => path), one.folders])
  return { names: loose.map(({ name }) => name), trees, unreadable }
}

describe('the files of a drop', () => {
  it('f16_are_told_apart_from_folders_which_keep_their_tree_and_their_empty_folders', async () => {
    const { names, trees } = await drop([
      file('a'),
      folder('x', file('b'), file('c'), folder('y', file('d')), folder('leer')),
      folder('nothing'),
    ])
    expect(names).toEqual(['a'])
    expect(trees).toEqual([
      ['x', ['x/b', 'x/c', 'x/y/d'], ['x/leer']],
      ['nothing', [], ['nothing']],
    ])
  })

  it('are counted in their folders while these are read', async () => {
    let found = 0
    const items = [file('a'), folder('x', file('b'), folder('y', file('c'), unreadable('d')))]
    const transfer = { items: items.map((entry) => ({ webkitGetAsEntry: () => entry })), files: [] }
    await droppedFiles(transfer as unknown as DataTransfer, () => {
      found += 1
    })
    expect(found).toBe(2)
  })

  it('say where they lie, files and folders that were dropped by themselves', async () => {
    const [place, tree] = [{ kind: 'file' }, { kind: 'directory' }]
    const item = (entry: unknown, handle: () => Promise<unknown>) => ({
      webkitGetAsEntry: () => entry,
      getAsFileSystemHandle: handle,
    })
    const items = [
      item(file('a'), async () => place),
      item(file('b'), () => Promise.reject(new DOMException('', 'NotAllowedError'))),
      item(folder('x', file('c')), async () => tree),
    ]
    const { files, folders, handles } = await droppedFiles({ items, files: [] } as unknown as DataTransfer)
    expect(files.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(handles).toEqual([
      [files[0], place],
      [folders[0], tree],
    ])
  })

  it('are the plain files where there are no entries', async () => {
    expect((await drop([null], [new File(['x'], 'x')])).names).toEqual(['x'])
  })

  it('are all that can be read, with the names of the others', async () => {
    const {
      names,
      trees,
      unreadable: left,
    } = await drop([
      unreadable('a'),
      folder('x', file('b'), unreadable('c'), lockedFolder('d')),
      lockedFolder('y'),
      file('e'),
    ])
    expect(names).toEqual(['e'])
    expect(trees).toEqual([['x', ['x/b'], []]])
    expect(left).toEqual(['a', 'c', 'd', 'y'])
  })

  it('contain nothing in the place of a file that cannot be read', async () => {
    const { names, unreadable: left } = await drop([unreadable('a')], [new File([], 'a')])
    expect(names).toEqual([])
    expect(left).toEqual(['a'])
  })
})

it('e1 a link that is dropped keeps its secret, beside the comments of its list', () => {
  const link = `https://h.example/?beam_id=7c9e6679-7425-40de-944b-e07fc1f90ae7#k=${'A'.repeat(43)}`
  const data = { getData: (type: string) => (type === 'text/uri-list' ? `#Heliograph\r\n${link}` : '') }
  expect(droppedTexts(data as unknown as DataTransfer)).toEqual([link])
})
