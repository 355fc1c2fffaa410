import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { ItemId } from '../protocol/bindings'
import { pendingItem, storedItemMessage } from '../protocol/item'
import type { Manifest } from '../protocol/manifest'
import { reduceItems } from '../stores/items'
import { createStores, type Stores } from '../stores/stores'
import { hasLocks } from '../transport/locks-stage'
import type { SaveFolder } from '../transport/save-folder'
import { packFolder } from './packing'
import { learnPack } from './packs'
import { createPackSaving } from './saving-packs'
import { createToaster } from './toaster'

const ID = 'pack' as ItemId
const URL = '/api/uploads/0123456789abcdef'
const SIZE = 1000

let stores: Stores
let disk: Map<string, number>
/** The bytes of the stored copy. */
let copy: Uint8Array
/** After so many bytes the connection is cut, each time. */
let cutsAfter: number
/** The server answers so many requests, and is away from then on. */
let answered: number
let asked: number[]

/** The file that the person picks for an archive. */
const picked = () => ({
  name: 'P.zip',
  isRemoved: false,
  isWritten: false,
  getFile: async () => new File([], 'P.zip'),
  async remove() {
    this.isRemoved = true
  },
  async createWritable() {
    const close = () => {
      this.isWritten = true
    }
    return new WritableStream({ close })
  },
})

function folderAt(path: string): object {
  return {
    getDirectoryHandle: async (name: string, { create = false } = {}) => {
      if (!create && !disk.has(`${path}${name}/`)) throw new DOMException('', 'NotFoundError')
      disk.set(`${path}${name}/`, 0)
      return folderAt(`${path}${name}/`)
    },
    removeEntry: async (name: string) => void disk.delete(path + name),
    getFileHandle: async (name: string, { create = false } = {}) => {
      if (disk.has(`${path}${name}/`)) throw new DOMException('', 'TypeMismatchError')
      if (!create && !disk.has(path + name)) throw new DOMException('', 'NotFoundError')
      disk.set(path + name, 0)
      let bytes = 0
      const sink = {
        write(part: Uint8Array) {
          bytes += part.byteLength
        },
        close: () => void disk.set(path + name, bytes),
      }
      return { createWritable: async () => new WritableStream<Uint8Array>(sink) }
    },
  }
}

async function isStored() {
  const files = ['a', 'b', 'c', 'd'].map((name) => ({
    path: `P/${name}`,
    file: new File([new Uint8Array(SIZE)], ''),
  }))
  const [pack] = await packFolder({ name: 'P', files, folders: [] })
  if (!pack?.manifest) throw new Error('no pack')
  copy = new Uint8Array(await pack.file.arrayBuffer())
  const facts = { name: 'P', size: pack.file.size, type: '', manifest: pack.manifest }
  const { message, extra } = storedItemMessage({ ...facts, url: URL })
  const item = pendingItem(ID, message, extra, 0)
  stores.items.setState((state) => reduceItems(state, { type: 'shared', item }), true)
  learnPack(stores, ID, copy.subarray(0, pack.manifest.bytes))
}

const saving = () => {
  const places = { folder: async () => folderAt('') as SaveFolder, kept: async () => 'none' as const }
  return createPackSaving({ stores, toaster: createToaster(stores.toasts) }, places, () => {})
}
const toasts = () => stores.toasts.getState().toasts

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  hasLocks()
  stores = createStores()
  disk = new Map()
  asked = []
  answered = cutsAfter = Number.POSITIVE_INFINITY
  vi.stubGlobal('showDirectoryPicker', () => {})
  vi.stubGlobal('fetch', async (_: string, { headers }: { headers: { range: string } }) => {
    const [start = 0, last = 0] = (headers.range.match(/\d+/g) ?? []).map(Number)
    asked.push(start)
    if (asked.length > answered) throw new TypeError('Failed to fetch')
    let at = start
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at >= start + cutsAfter) return controller.error(new TypeError('network error'))
        const end = Math.min(at + 500, last + 1, start + cutsAfter)
        controller.enqueue(copy.subarray(at, end))
        at = end
        if (at > last) controller.close()
      },
    })
    return new Response(body, { status: 206 })
  })
  await isStored()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Lets pauses pass until it has ended. */
async function toItsEnd(save: Promise<void>): Promise<void> {
  let isOver = false
  void save.finally(() => {
    isOver = true
  })
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve))
    await vi.advanceTimersByTimeAsync(1_000)
  }
}

it('f16_a_stored_folder_is_saved_whole_although_the_connection_is_cut_again_and_again', async () => {
  cutsAfter = 700
  await toItsEnd(saving().save(ID))
  expect(Object.fromEntries(disk)).toEqual({ 'P/': 0, 'P/a': SIZE, 'P/b': SIZE, 'P/c': SIZE, 'P/d': SIZE })
  expect(asked.length).toBeGreaterThan(4)
  expect(new Set(asked).size).toBe(asked.length)
  expect(toasts().map(({ text }) => text)).toEqual(['Saved 4 files'])
})

it('f16_says_what_is_missing_when_the_connection_stays_away_and_saves_the_rest_beside_the_others', async () => {
  const all = stores.packs.getState().lists[ID] as Manifest
  cutsAfter = 1_500
  answered = 1
  await toItsEnd(saving().save(ID))
  // No half file stays.
  expect(Object.fromEntries(disk)).toEqual({ 'P/': 0, 'P/a': SIZE })
  const [toast] = toasts()
  expect(toast?.text).toBe(
    `Saved 1 of ${all.files.length} files. “P/b” could not be saved. The connection was cut.`,
  )
  expect(toast?.action?.label).toBe('Try again')
  answered = cutsAfter = Number.POSITIVE_INFINITY
  toast?.action?.run()
  await vi.waitFor(() => expect(toasts().at(-1)?.text).toBe('Saved 3 files'))
  expect(Object.fromEntries(disk)).toEqual({ 'P/': 0, 'P/a': SIZE, 'P/b': SIZE, 'P/c': SIZE, 'P/d': SIZE })
})

it('f16_leaves_no_empty_archive_where_it_could_not_be_written', async () => {
  const file = picked()
  vi.stubGlobal('showSaveFilePicker', async () => file)
  const all = stores.packs.getState().lists[ID] as Manifest
  answered = 0
  await toItsEnd(saving().saveChosen(ID, all, 'zip'))
  expect([file.isRemoved, file.isWritten]).toEqual([true, false])
  expect(toasts().map(({ text, action }) => [text, action?.label])).toEqual([
    ['“P” could not be saved. The connection was cut.', 'Try again'],
  ])
})

it('f16_leaves_no_empty_archive_of_what_was_given_up_before_it_was_here', async () => {
  stores.items.setState((state) => reduceItems(state, { type: 'deleted', message: null, id: ID }), true)
  const file = picked()
  vi.stubGlobal('showSaveFilePicker', async () => file)
  await toItsEnd(saving().saveChosen(ID, { files: [], folders: [] }, 'zip'))
  expect([file.isRemoved, file.isWritten]).toEqual([true, false])
})

it('f16_keeps_an_archive_that_was_written', async () => {
  const file = picked()
  vi.stubGlobal('showSaveFilePicker', async () => file)
  await toItsEnd(saving().saveChosen(ID, stores.packs.getState().lists[ID] as Manifest, 'zip'))
  expect([file.isRemoved, file.isWritten]).toEqual([false, true])
  expect(toasts().map(({ text }) => text)).toEqual(['Saved “P.zip”'])
})
