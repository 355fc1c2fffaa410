import { expect, it } from 'vitest'
import { droppedFiles } from './dropped-files'

const file = (name: string) => ({
  isFile: true,
  isDirectory: false,
  file: (done: (file: File) => void) => done(new File([name], name)),
})

/** Gives its entries two at a time, as a browser gives them a hundred at a time. */
const folder = (...entries: unknown[]) => ({
  isFile: false,
  isDirectory: true,
  createReader: () => {
    const left = [...entries]
    return { readEntries: (done: (part: unknown[]) => void) => done(left.splice(0, 2)) }
  },
})

const dropped = (entries: unknown[], files: File[] = []) =>
  ({ items: entries.map((entry) => ({ webkitGetAsEntry: () => entry })), files }) as unknown as DataTransfer

it('finds every file of a dropped folder, however deep', async () => {
  const files = await droppedFiles(
    dropped([file('a'), folder(file('b'), file('c'), folder(file('d')), folder())]),
  )
  expect(files.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd'])
})

it('takes the plain files where there are no entries', async () => {
  const files = await droppedFiles(dropped([null], [new File(['x'], 'x')]))
  expect(files.map(({ name }) => name)).toEqual(['x'])
})
