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
let isThere: boolean
let now: number
let handles: FileHandles

class Handle {
  readonly name = 'a.bin'
  async queryPermission() {
    return permission
  }
  async requestPermission() {
    permission = answer
    return answer
  }
  async getFile() {
    if (!isThere) throw new DOMException('', 'NotFoundError')
    return new File(['abc'], this.name)
  }
}

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory()
  // The fake table copies plain values only: the methods come back with the prototype.
  globalThis.structuredClone = ((value: { handle?: Handle }) =>
    value.handle ? { ...value, handle: new Handle() } : value) as typeof structuredClone
  permission = 'granted'
  answer = 'granted'
  isThere = true
  now = 0
  handles = new FileHandles(() => now)
})

const FILE = new Blob(['abc'])
const keep = () => handles.keep(ITEM, FILE, new Handle() as unknown as FileSystemFileHandle)

it('a file that the page may still read is found at once', async () => {
  expect(await handles.find(ITEM)).toBeNull()
  await keep()
  const found = await handles.find(ITEM)
  expect(found?.is === 'readable' && (await found.file.text())).toBe('abc')
})

it('a file for which the browser wants a press is asked for, and then read', async () => {
  await keep()
  permission = 'prompt'
  expect(await handles.find(ITEM)).toEqual({ is: 'asking' })
  expect(await (await handles.ask(ITEM))?.text()).toBe('abc')
  expect((await handles.find(ITEM))?.is).toBe('readable')
})

it('a file that the person denies, or that lies there no more, is not found', async () => {
  await keep()
  permission = 'prompt'
  answer = 'denied'
  expect(await handles.ask(ITEM)).toBeNull()
  expect(await handles.find(ITEM)).toBeNull()
  permission = 'granted'
  answer = 'granted'
  isThere = false
  expect(await handles.find(ITEM)).toBeNull()
  expect(await handles.ask(ITEM)).toBeNull()
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
  await handles.keep(ITEM, new Blob([large]))
  expect(await handles.find(ITEM)).toBeNull()
  expect(await handles.isSame(ITEM, new Blob([large]))).toBe(true)
  for (const changed of [changedAt(0), changedAt(large.byteLength - 1), changedAt(2_000_000, 100_000)])
    expect(await handles.isSame(ITEM, changed)).toBe(false)
  await handles.keep(ITEM, FILE)
  expect(await handles.isSame(ITEM, new Blob(['abd']))).toBe(false)
  expect(await handles.isSame(ITEM, new Blob(['abc']))).toBe(true)
})

it('a file that was forgotten while it was read stays forgotten', async () => {
  const kept = handles.keep(ITEM, FILE)
  await handles.forget(ITEM)
  await kept
  expect(await handles.isSame(ITEM, new Blob(['other']))).toBe(true)
})

it('a file that is never read keeps no other from being sampled', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const silent = new Blob(['abc'])
  const arrayBuffer = vi.spyOn(silent, 'arrayBuffer').mockReturnValue(new Promise(() => {}))
  void handles.keep('b' as ItemId, silent)
  const kept = handles.keep(ITEM, FILE)
  await vi.waitFor(() => expect(arrayBuffer).toHaveBeenCalled())
  vi.advanceTimersByTime(READ_WITHIN_MS)
  await kept
  expect(await handles.isSame(ITEM, new Blob(['abd']))).toBe(false)
  vi.useRealTimers()
})
