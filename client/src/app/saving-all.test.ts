// @vitest-environment jsdom

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ItemId } from '../protocol/bindings'
import { fileItemMessage, pendingItem } from '../protocol/item'
import { DIRECT } from '../protocol/way'
import { reduceItems } from '../stores/items'
import { createStores, type Stores } from '../stores/stores'
import { reduceTransfers } from '../stores/transfers'
import { hasLocks } from '../transport/locks-stage'
import type { SaveFolder } from '../transport/save-folder'
import { SavePlace } from '../transport/save-place'
import { createSavingAll } from './saving-all'
import { createSavingOne } from './saving-one'
import { createToaster } from './toaster'

const BATCH = '5b1f4a52-7d0e-4c3b-9a41-2f6d8e0c7b13' as ItemId
const NAMES = ['a.png', 'b.png', 'c.png']
/** Of what the server sends of each, in bytes. */
const SIZE = 'bytes of blob:a.png'.length

const receiving = { receive: () => {}, saveAs: async () => {} }
const NOTHING_COMES = { bring: async () => null, saveAs: async () => {} }

let stores: Stores
let saveAll: (id: ItemId) => Promise<void>
let download: (ids: readonly ItemId[]) => Promise<void>
/** The files of the picked folder, by name. */
let folder: Map<string, string>
let isFull: boolean
/** How far each save was when it was told. */
let told: string[]

const toasts = () => stores.toasts.getState().toasts.map(({ text }) => text)

/** The server sends what it is asked for. */
const sends = async (url: string) => new Response(`bytes of ${url}`, { status: 206 })

/** A folder that already has `a.png`. */
function fakeFolder() {
  return {
    name: 'picked',
    removeEntry: async (name: string) => void folder.delete(name),
    async getFileHandle(name: string, { create = false } = {}) {
      if (!create && !folder.has(name)) throw new DOMException('', 'NotFoundError')
      return {
        createWritable: async () =>
          new WritableStream<Uint8Array>({
            write(bytes) {
              if (isFull) throw new DOMException('', 'QuotaExceededError')
              folder.set(name, (folder.get(name) ?? '') + new TextDecoder().decode(bytes))
            },
          }),
      }
    },
  }
}

beforeEach(() => {
  hasLocks(navigator)
  stores = createStores()
  folder = new Map([['a.png', 'an older one']])
  isFull = false
  told = []
  for (const [index, name] of NAMES.entries()) {
    const id = `file ${index}` as ItemId
    const batch = { id: BATCH, count: NAMES.length, index }
    const { message, extra } = fileItemMessage({ name, size: SIZE, type: '', batch })
    const item = pendingItem(id, message, extra, 0)
    stores.items.setState((state) => reduceItems(state, { type: 'shared', item }), true)
    const done = { status: 'done', url: `blob:${name}`, way: DIRECT, isKept: true } as const
    stores.transfers.setState((state) => reduceTransfers(state, { type: 'receiving', id, state: done }), true)
  }
  stores.saves.subscribe(({ saves: { [BATCH]: save } }) =>
    told.push(save?.status === 'saving' ? `${save.saved} of ${save.of}` : 'ended'),
  )
  ;({ saveAll, download } = createSavingAll({ stores, toaster: createToaster(stores.toasts) }, receiving))
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

describe('saving all files of a batch', () => {
  it('writes them into the picked folder one after the other, and over nothing', async () => {
    vi.stubGlobal('showDirectoryPicker', async () => fakeFolder())
    vi.stubGlobal('fetch', sends)
    await saveAll(BATCH)
    expect(Object.fromEntries(folder)).toEqual({
      'a.png': 'an older one',
      'a (2).png': 'bytes of blob:a.png',
      'b.png': 'bytes of blob:b.png',
      'c.png': 'bytes of blob:c.png',
    })
    expect([told[0], told.at(-1)]).toEqual(['0 of 3', 'ended'])
    expect(toasts()).toEqual(['Saved 3 files'])
  })

  it('goes on after one that cannot be read, and names it', async () => {
    vi.stubGlobal('showDirectoryPicker', async () => fakeFolder())
    vi.stubGlobal('fetch', async (url: string) =>
      url.includes('b.png') ? new Response('', { status: 404 }) : sends(url),
    )
    await saveAll(BATCH)
    expect(folder.has('b.png')).toBe(false)
    expect(folder.has('c.png')).toBe(true)
    expect(toasts()).toEqual(['Saved 2 of 3 files. “b.png” could not be saved. The file could not be read.'])
  })

  it('names one of several that cannot be read, and counts the others', async () => {
    vi.stubGlobal('showDirectoryPicker', async () => fakeFolder())
    vi.stubGlobal('fetch', async (url: string) =>
      url.includes('a.png') ? sends(url) : new Response('', { status: 404 }),
    )
    await saveAll(BATCH)
    expect(toasts()).toEqual([
      'Saved 1 of 3 files. “b.png” and 1 other could not be saved. The file could not be read.',
    ])
  })

  it('stops where the disk is full, and says so', async () => {
    vi.stubGlobal('showDirectoryPicker', async () => fakeFolder())
    vi.stubGlobal('fetch', sends)
    isFull = true
    await saveAll(BATCH)
    expect([...folder.keys()]).toEqual(['a.png'])
    expect(toasts()).toEqual([
      'Saved 0 of 3 files. “a.png” could not be saved. There is no space left on this device. Make room, then try again.',
    ])
  })

  it('does nothing when the person closes the picker', async () => {
    vi.stubGlobal('showDirectoryPicker', async () => {
      throw new DOMException('', 'AbortError')
    })
    await saveAll(BATCH)
    expect([told, toasts()]).toEqual([[], []])
  })

  it('is a download for each where there is no such picker, once even when asked twice', async () => {
    vi.useFakeTimers()
    const links: string[] = []
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      links.push(`${this.download} from ${this.href}`)
    })
    const saved = Promise.all([saveAll(BATCH), saveAll(BATCH)])
    await vi.runAllTimersAsync()
    await saved
    expect(links).toEqual(NAMES.map((name) => `${name} from blob:${name}`))
    expect(told.at(-1)).toBe('ended')
    expect(toasts()).toEqual(['The browser has 3 downloads to save'])
  })
})

it('downloads of selected files begin one after the other, because a browser drops those of one moment', async () => {
  vi.useFakeTimers()
  const begun: string[] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    begun.push(this.download)
  })
  const ended = download([BATCH])
  expect(begun).toEqual(['a.png'])
  await vi.runAllTimersAsync()
  await ended
  expect(begun).toEqual(NAMES)
})

it('downloads of selected files go into the kept folder, where there is one', async () => {
  vi.stubGlobal('fetch', sends)
  vi.spyOn(SavePlace.prototype, 'open').mockImplementation(async () => fakeFolder() as never)
  stores.savePlace.setState({ status: 'kept', name: 'picked' }, true)
  await download([BATCH])
  expect([...folder.keys()]).toEqual(['a.png', 'a (2).png', 'b.png', 'c.png'])
  expect(toasts()).toEqual(['Saved 3 files'])
})

describe('saving one file that is here', () => {
  const ID = 'file 1' as ItemId
  /** What was written into the file that the person picked. */
  let written: string
  const savesAs = async (picker: (options: { suggestedName: string }) => Promise<unknown>) => {
    vi.stubGlobal('showSaveFilePicker', picker)
    vi.stubGlobal('fetch', sends)
    await createSavingAll({ stores, toaster: createToaster(stores.toasts) }, receiving).saveHereAs(ID)
  }
  let isRemoved: boolean
  const picked = (name: string) => ({
    name,
    createWritable: async () =>
      new WritableStream<Uint8Array>({
        write(bytes) {
          if (isFull) throw new DOMException('', 'QuotaExceededError')
          written += new TextDecoder().decode(bytes)
        },
      }),
    getFile: async () => new File([written], name),
    async remove() {
      isRemoved = true
    },
  })
  beforeEach(() => {
    written = ''
    isRemoved = false
  })

  it('leaves nothing of it where it could not be written, and says why', async () => {
    isFull = true
    await savesAs(async () => picked('mine.png'))
    expect(isRemoved).toBe(true)
    expect(toasts()).toEqual([
      '“b.png” could not be saved. There is no space left on this device. Make room, then try again.',
    ])
  })

  it('says the name that it got in the kept folder, and saves it once at a time', async () => {
    vi.stubGlobal('fetch', sends)
    stores.savePlace.setState({ status: 'kept', name: 'picked' }, true)
    const places = { kept: async () => fakeFolder() as unknown as SaveFolder }
    const { saveHere } = createSavingOne(
      { stores, toaster: createToaster(stores.toasts) },
      places,
      NOTHING_COMES,
    )
    const shown: boolean[] = []
    stores.saves.subscribe(({ saves }) => shown.push('file 0' in saves))
    await Promise.all(['file 0', 'file 0'].map((id) => saveHere(id as ItemId)))
    expect([shown[0], shown.at(-1)]).toEqual([true, false])
    expect(folder.get('a (2).png')).toBe('bytes of blob:a.png')
    expect(toasts()).toEqual(['Saved “a (2).png” in “picked”'])
    expect(folder.size).toBe(2)
  })

  it('writes it where the person says, under the name that they chose', async () => {
    await savesAs(async () => picked('mine.png'))
    expect([written, toasts()]).toEqual(['bytes of blob:b.png', ['Saved “mine.png”']])
  })

  it('suggests a name that the picker takes where it refuses the own one', async () => {
    const names: string[] = []
    await savesAs(async ({ suggestedName }) => {
      names.push(suggestedName)
      if (names.length === 1) throw new TypeError('Name is not allowed.')
      return picked(suggestedName)
    })
    expect(names).toEqual(['b.png', 'b.png'])
    expect(toasts()).toEqual(['Saved “b.png”'])
  })

  it('writes nothing when the person closes the picker', async () => {
    await savesAs(() => Promise.reject(new DOMException('', 'AbortError')))
    expect([written, toasts()]).toEqual(['', []])
  })
})
