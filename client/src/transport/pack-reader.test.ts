import { expect, it } from 'vitest'
import type { PlacedFile } from '../protocol/manifest'
import { PackReader } from './pack-reader'

const MB = 1024 * 1024
const bytes = Uint8Array.from({ length: 2 * MB }, (_, at) => at % 251)
const file = (start: number, size: number): PlacedFile => ({ path: '', size, type: '', modified: 0, start })

/** A reader of these bytes, and the offsets at which it opened them. */
function reads(all = bytes) {
  const opened: number[] = []
  const reader = new PackReader(async (start) => {
    opened.push(start)
    if (start >= all.length) throw new Error('416')
    return new Blob([all.subarray(start)]).stream()
  })
  const read = async (start: number, size: number) =>
    new Uint8Array(await new Response(await reader.next(file(start, size))).arrayBuffer())
  return { reader, read, opened }
}

it('gives each file its own bytes, and opens anew only where much lies between two', async () => {
  const { read, opened } = reads()
  for (const [start, size] of [
    [10, 5],
    [15, 20],
    [100, 3],
    [MB, 7],
    [2 * MB - 1, 1],
    [3, 4],
  ] as const)
    expect(await read(start, size)).toEqual(bytes.slice(start, start + size))
  expect(opened).toEqual([10, MB, 2 * MB - 1, 3])
})

it('opens nothing for an empty file, behind which there may be no byte', async () => {
  const { read, opened } = reads()
  expect(await read(bytes.length, 0)).toEqual(new Uint8Array())
  expect(opened).toEqual([])
})

it('passes over what was not read of a file that was given up', async () => {
  const { reader, read } = reads()
  await (await reader.next(file(0, 1000))).cancel()
  expect(await read(1000, 4)).toEqual(bytes.slice(1000, 1004))
  expect(reader.hasFailed).toBe(false)
})

it('knows when its own bytes cannot be had', async () => {
  const { reader, read } = reads()
  await expect(read(bytes.length, 1)).rejects.toThrow()
  expect(reader.hasFailed).toBe(true)
  const short = reads(bytes.subarray(0, 10))
  await expect(short.read(5, 10)).rejects.toThrow('The bytes ended too early.')
  expect(short.reader.hasFailed).toBe(true)
})
