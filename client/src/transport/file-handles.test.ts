import { IDBFactory } from 'fake-indexeddb'
import 'fake-indexeddb/auto'
import { beforeEach, expect, it, vi } from 'vitest'
import type { ItemId } from '../protocol/bindings'
import { FileHandles } from './file-handles'
import { READ_WITHIN_MS } from './within'

const ITEM = 'a' as ItemId
const DAY_MS = 24 * 60 * 60 * 1000

/** What the browser answers now; a handle comes out of the table as a copy without a memory of its own. */
let permission: PermissionState
let answer: PermissionState
/** Whether an answer is about all files of the page, and for which it is otherwise. */
let isForAll: boolean
let granted: Set<string>
let asked: string[]
let now: number
let handles: FileHandles

class Handle {
  constructor(readonly name = 'a.bin') {}
  async queryPermission() {
    return granted.has(this.name) ? 'granted' : permission
  }
  async requestPermission() {
    asked.push(this.name)
    if (isForAll) permission = answer
    else granted.add(this.name)
    return answer
  }
}
const copyOf = ({ name }: Handle) => new Handle(name)

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory()
  // The fake table copies plain values only: the methods come back with the prototype.
  globalThis.structuredClone = ((value: { handles?: Handle[] }) =>
    value.handles ? { ...value, handles: value.handles.map(copyOf) } : value) as typeof structuredClone
  permission = 'granted'
  answer = 'granted'
  isForAll = true
  granted = new Set()
  asked = []
  now = 0
  handles = new FileHandles(() => now)
})

const FILE = new Blob(['abc'])
const keepAt = (places: number, list?: Blob) => {
  const made = Array.from({ length: places }, (_, at) => new Handle(`${at}.bin`))
  return handles.keep(ITEM, FILE, made as unknown as FileSystemHandle[], list)
}
const namesIn = (all: readonly FileSystemHandle[] | null) => all?.map(({ name }) => name)
const keep = () => keepAt(1)

it('a file that the page may still read is found at once', async () => {
  expect(await handles.find(ITEM)).toBeNull()
  await keep()
  const found = await handles.find(ITEM)
  expect(found?.is === 'readable' && namesIn(found.handles)).toEqual(['0.bin'])
})

it('a file for which the browser wants a press is asked for, and then read', async () => {
  await keep()
  permission = 'prompt'
  expect(await handles.find(ITEM)).toEqual({ is: 'asking' })
  expect(namesIn(await handles.ask(ITEM))).toEqual(['0.bin'])
  expect((await handles.find(ITEM))?.is).toBe('readable')
})

it('a file that the person denies is not found', async () => {
  await keep()
  permission = 'prompt'
  answer = 'denied'
  expect(await handles.ask(ITEM)).toBeNull()
  expect(await handles.find(ITEM)).toBeNull()
})

it('many files are found in their order, and asked for at once', async () => {
  await keepAt(3)
  const found = await handles.find(ITEM)
  expect(found?.is === 'readable' && namesIn(found.handles)).toEqual(['0.bin', '1.bin', '2.bin'])
  permission = 'prompt'
  expect(await handles.find(ITEM)).toEqual({ is: 'asking' })
  expect(await handles.ask(ITEM)).toHaveLength(3)
  expect(asked).toEqual(['0.bin'])
})

it('many files are not had where the answer of the person is about one of them', async () => {
  await keepAt(3)
  permission = 'prompt'
  isForAll = false
  expect(await handles.ask(ITEM)).toBeNull()
  expect(asked).toEqual(['0.bin'])
})

it('where files lie is kept of a thousand at most, and their manifest in any case', async () => {
  await keepAt(1_000, new Blob(['{}']))
  expect((await handles.find(ITEM))?.is).toBe('readable')
  await keepAt(1_001)
  expect(await handles.find(ITEM)).toBeNull()
  expect(new TextDecoder().decode((await handles.listOf(ITEM)) ?? undefined)).toBe('{}')
  expect(await handles.listOf('b' as ItemId)).toBeNull()
})

it('what is forgotten, or older than a week, is not kept', async () => {
  await keep()
  await handles.forget(ITEM)
  expect(await handles.find(ITEM)).toBeNull()
  await keep()
  now = 7 * DAY_MS
  await handles.sweep()
  expect(await handles.find(ITEM)).not.toBeNull()
  now += 1
  await handles.sweep()
  expect(await handles.find(ITEM)).toBeNull()
})

it('a file whose content is another is known by samples of it, also where nobody knows where it lies', async () => {
  const large = new Uint8Array(4 * 1024 * 1024)
  const changedAt = (at: number, count = 1) => new Blob([large.slice().fill(1, at, at + count)])
  expect(await handles.isSame(ITEM, new Blob([large]))).toBe(true)
  await handles.keep(ITEM, new Blob([large]), [])
  expect(await handles.find(ITEM)).toBeNull()
  expect(await handles.isSame(ITEM, new Blob([large]))).toBe(true)
  for (const changed of [changedAt(0), changedAt(large.byteLength - 1), changedAt(2_000_000, 100_000)])
    expect(await handles.isSame(ITEM, changed)).toBe(false)
  await handles.keep(ITEM, FILE, [])
  expect(await handles.isSame(ITEM, new Blob(['abd']))).toBe(false)
  expect(await handles.isSame(ITEM, new Blob(['abc']))).toBe(true)
})

it('a file that was forgotten while it was read stays forgotten', async () => {
  const kept = handles.keep(ITEM, FILE, [])
  await handles.forget(ITEM)
  await kept
  expect(await handles.isSame(ITEM, new Blob(['other']))).toBe(true)
})

it('a file that is never read keeps no other from being sampled', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const silent = new Blob(['abc'])
  const arrayBuffer = vi.spyOn(silent, 'arrayBuffer').mockReturnValue(new Promise(() => {}))
  void handles.keep('b' as ItemId, silent, [])
  const kept = handles.keep(ITEM, FILE, [])
  await vi.waitFor(() => expect(arrayBuffer).toHaveBeenCalled())
  vi.advanceTimersByTime(READ_WITHIN_MS)
  await kept
  expect(await handles.isSame(ITEM, new Blob(['abd']))).toBe(false)
  vi.useRealTimers()
})
