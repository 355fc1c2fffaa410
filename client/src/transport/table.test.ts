import { IDBFactory } from 'fake-indexeddb'
import 'fake-indexeddb/auto'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Table } from './table'

/** What nobody has caught: a worker breaks by it. */
let uncaught: unknown[]
const notes = (error: unknown) => void uncaught.push(error)

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory()
  uncaught = []
  process.on('unhandledRejection', notes)
})
afterEach(() => {
  process.off('unhandledRejection', notes)
  vi.restoreAllMocks()
})

/** As on a full disk, the browser gives up what is under way once something is asked of it. */
function givesUp(): void {
  const real = IDBObjectStore.prototype.get
  vi.spyOn(IDBObjectStore.prototype, 'get').mockImplementation(function (this: IDBObjectStore, key) {
    const request = real.call(this, key)
    this.transaction.abort()
    return request
  })
}

it.each([
  ['changed', (table: Table<string, number>) => table.change('a', (there) => (there ?? 0) + 1)],
  ['removed', (table: Table<string, number>) => table.remove('a')],
])('what cannot be %s is told to who asked, and to nobody else', async (_, asks) => {
  const table = new Table<string, number>('a database', 'a table')
  await table.write('a', 1)
  givesUp()
  await expect(asks(table)).rejects.toThrow()
  await new Promise((resolve) => setTimeout(resolve))
  expect(uncaught).toEqual([])
  vi.restoreAllMocks()
  expect(await table.find('a')).toBe(1)
})
