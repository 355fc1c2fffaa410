import { IDBFactory } from 'fake-indexeddb'
import 'fake-indexeddb/auto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type BeamId, CHUNK_BYTES, type ItemId } from '../../protocol/bindings'
import { Table } from '../table'
import { tabFolder } from './disk-folders'
import { sweepDisk, UNUSED_MS } from './disk-sweep'
import { Journal } from './journal'
import { DiskFiles, type DiskTab } from './opfs'
import { NoRoom, PartUnopened } from './sink'

/** A file of the browser's disk. It can be open once at a time, like a synchronous handle. */
class DiskFile {
  bytes = new Uint8Array()
  isOpen = false

  async createSyncAccessHandle() {
    if (this.isOpen) throw new DOMException('open already', 'NoModificationAllowedError')
    this.isOpen = true
    return {
      getSize: () => this.bytes.length,
      read: (part: Uint8Array, { at }: { at: number }) => {
        const there = this.bytes.subarray(at, at + part.length)
        part.set(there)
        return there.length
      },
      truncate: (length: number) => {
        usage -= this.bytes.length - length
        this.bytes = this.bytes.slice(0, length)
      },
      flush: () => {},
      close: () => {
        this.isOpen = false
      },
      write: (part: Uint8Array, { at }: { at: number }) => this.#write(part, at),
    }
  }

  #write(part: Uint8Array, at: number): number {
    const end = Math.max(this.bytes.length, at + part.length)
    // As much as there is room for.
    if (usage + end - this.bytes.length > room) return 0
    const longer = new Uint8Array(end)
    longer.set(this.bytes)
    longer.set(part, at)
    usage += longer.length - this.bytes.length
    this.bytes = longer
    return part.length
  }

  async getFile() {
    return new Blob([this.bytes])
  }
}

class DiskFolder {
  readonly files = new Map<string, DiskFile>()
  readonly folders = new Map<string, DiskFolder>()

  async getFileHandle(name: string, { create = false } = {}) {
    if (!create && !this.files.has(name)) throw new DOMException('', 'NotFoundError')
    const file = this.files.get(name) ?? new DiskFile()
    this.files.set(name, file)
    return file
  }

  async getDirectoryHandle(name: string, { create = false } = {}) {
    if (!create && !this.folders.has(name)) throw new DOMException('', 'NotFoundError')
    const folder = this.folders.get(name) ?? new DiskFolder()
    this.folders.set(name, folder)
    return folder
  }

  async removeEntry(name: string) {
    const file = this.files.get(name)
    if (file?.isOpen) throw new DOMException('open', 'NoModificationAllowedError')
    usage -= file?.bytes.length ?? 0
    if (!this.files.delete(name) && !this.folders.delete(name)) throw new DOMException('', 'NotFoundError')
  }

  async *keys() {
    yield* [...this.files.keys(), ...this.folders.keys()]
  }
}

const ITEM = '01234567-89ab-4cde-8f01-23456789abcd' as ItemId
const OTHER = '11234567-89ab-4cde-8f01-23456789abcd' as ItemId
const BEAM = 'a beam' as BeamId
const file = (size: number, id = ITEM) => ({
  id,
  size,
  type: 'text/plain',
  name: 'a.txt',
  beam: BEAM,
})
const text = (of: string) => new TextEncoder().encode(of) as Uint8Array<ArrayBuffer>

let root: DiskFolder
let quota: number
/** Counts the length of each file, holes and all, as Chromium and Firefox do. */
let usage: number
/** What the disk has room for. The browser may give more than that. */
let room: number
/** What Chromium alone tells. */
let details: { usageDetails?: object }
/** Whether the browser tells how much room there is. */
let tellsRoom: boolean
/** Names of the locks that are held. */
let locks: Set<string>
let disk: DiskFiles
let now: number
let journal: Journal

/** What a page in a tab has of the disk. */
function diskOf(name: string, folder = () => tabFolder(name)): DiskFiles {
  return new DiskFiles({ ...tabOf(name), folder }, journal)
}

function tabOf(name: string): DiskTab {
  let names = 0
  return { name, folder: () => tabFolder(name), makeName: () => `${++names}`, now: () => now }
}

beforeEach(() => {
  root = new DiskFolder()
  vi.stubGlobal('indexedDB', new IDBFactory())
  journal = new Journal()
  quota = 1_000
  room = Number.POSITIVE_INFINITY
  usage = 0
  details = {}
  tellsRoom = true
  locks = new Set()
  vi.stubGlobal('navigator', {
    storage: {
      estimate: async () => {
        if (!tellsRoom) throw new TypeError('Internal error when estimating storage usage.')
        return { quota, usage, ...details }
      },
      getDirectory: async () => root,
    },
    locks: {
      request: (name: string, ...rest: unknown[]) => {
        const held = rest.at(-1) as (lock: object | null) => Promise<void>
        const [how] = rest as [{ signal?: AbortSignal }]
        if (how.signal && locks.has(name)) return Promise.reject(new DOMException('', 'TimeoutError'))
        if (rest.length > 1 && locks.has(name)) return held(null)
        locks.add(name)
        return Promise.resolve(held({ name })).finally(() => locks.delete(name))
      },
      query: async () => ({ held: [...locks].map((name) => ({ name })) }),
    },
  })
  now = 0
  disk = diskOf('tab')
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const kept = () => [...(root.folders.get('received')?.folders.get('tab')?.files.keys() ?? [])]

describe('a file on the disk', () => {
  it('is written in any order and carries its type', async () => {
    const sink = await disk.open(file(6))
    await sink.write(3, text('def'))
    await sink.write(0, text('abc'))
    const whole = await sink.finish()
    expect(await whole?.text()).toBe('abcdef')
    expect(whole?.type).toBe('text/plain')
  })

  it('is removed with its item, complete or not, and no other is', async () => {
    await (await disk.open(file(1))).finish()
    const other = await disk.open(file(1, OTHER))
    await other.finish()
    await disk.forget(ITEM)
    expect(kept()).toEqual([`${OTHER} 2`])
  })

  it('leaves nothing behind when it is discarded', async () => {
    const sink = await disk.open(file(3))
    await sink.write(0, text('abc'))
    await sink.discard()
    expect(kept()).toEqual([])
  })

  it('can be begun again while the one before is still open', async () => {
    const before = await disk.open(file(3))
    const after = await disk.open(file(3))
    await after.write(0, text('new'))
    await disk.forget(ITEM).catch(() => {})
    await before.discard()
    expect(await (await after.finish())?.text()).toBe('new')
  })

  it('takes the place of a complete one that is received again', async () => {
    await (await disk.open(file(1))).finish()
    const again = await disk.open(file(1))
    expect(again.part?.before).toEqual([])
    expect(kept()).toEqual([`${ITEM} 2`])
  })

  it('is refused with a message when there is too little space', async () => {
    await expect(disk.open(file(1_001))).rejects.toThrow(NoRoom)
  })

  it('is not refused where Chromium tells of 10 GiB, as it does however much there is', async () => {
    usage = 5_000
    quota = usage + 10 * 1024 ** 3
    await expect(disk.open(file(20_000_000_000))).rejects.toThrow(NoRoom)
    details = { usageDetails: {} }
    expect(await disk.open(file(20_000_000_000))).toBeDefined()
    // A disk that is smaller than that is told.
    quota = usage + 9 * 1024 ** 3
    await expect(disk.open(file(20_000_000_000, OTHER))).rejects.toThrow(NoRoom)
  })

  it('counts the space promised to other files', async () => {
    const first = await disk.open(file(600))
    await expect(disk.open(file(500))).rejects.toThrow(NoRoom)
    await first.write(0, new Uint8Array(600))
    await expect(disk.open(file(500))).rejects.toThrow(NoRoom)
    expect(await disk.open(file(400))).toBeDefined()
    await first.discard()
    expect(await disk.open(file(600))).toBeDefined()
  })

  it('takes the space that it was promised as its length grows, and none for what fills it', async () => {
    const first = await disk.open(file(600))
    await first.write(599, new Uint8Array(1))
    const other = await disk.open(file(300, OTHER))
    await first.write(0, new Uint8Array(599))
    await other.write(0, new Uint8Array(200))
    await other.write(0, new Uint8Array(200))
    await expect(disk.open(file(101))).rejects.toThrow(NoRoom)
    expect(await disk.open(file(100))).toBeDefined()
  })

  it('releases its promised space when it cannot be opened', async () => {
    const folder = vi.fn(() => tabFolder('tab')).mockRejectedValueOnce(new DOMException('', 'UnknownError'))
    const broken = diskOf('tab', folder)
    await expect(broken.open(file(900))).rejects.toThrow(DOMException)
    expect(await broken.open(file(900))).toBeDefined()
  })
})

describe('sweeping', () => {
  it('removes the files of closed tabs, and none of open ones', async () => {
    await tabFolder('gone')
    await tabFolder('alive')
    locks.add('received/alive')
    await tabFolder('mine')
    locks.add('received/mine')
    await sweepDisk(journal, now)
    expect([...(root.folders.get('received')?.folders.keys() ?? [])]).toEqual(['alive', 'mine'])
  })

  it('leaves the folder of a tab that starts meanwhile', async () => {
    await tabFolder('gone')
    await tabFolder('starts')
    const folder = root.folders.get('received') as DiskFolder
    const removeEntry = folder.removeEntry.bind(folder)
    vi.spyOn(folder, 'removeEntry').mockImplementation(async (name) => {
      locks.add('received/starts')
      await removeEntry(name)
    })
    await sweepDisk(journal, now)
    expect([...folder.folders.keys()]).toEqual(['starts'])
  })
})

describe('a complete file', () => {
  const receives = async (tab: string, content = 'abc', id = ITEM) => {
    const sink = await diskOf(tab).open(file(content.length, id))
    await sink.write(0, text(content))
    await sink.finish()
    return sink
  }
  /** What a later page finds. */
  const finds = async (size = 3, id = ITEM) => {
    const found = await diskOf('later').find(file(size, id))
    return found?.is === 'complete' ? await found.file.text() : null
  }
  /** A new page starts, while the tabs of the others are closed. */
  const starts = () => sweepDisk(journal, now)

  it('is found by a later page, with its type', async () => {
    expect((await receives('tab')).isKept).toBe(true)
    await starts()
    expect(await finds()).toBe('abc')
    expect(await disk.find(file(3))).toMatchObject({ is: 'complete', file: { type: 'text/plain' } })
  })

  it('is not one that was not finished, nor one of another size', async () => {
    const sink = await disk.open(file(3))
    await sink.write(0, text('abc'))
    expect(await finds()).toBeNull()
    await sink.finish()
    expect(await finds(4)).toBeNull()
    expect(await finds(3, OTHER)).toBeNull()
  })

  it('is not one that the browser has cleared or cut off', async () => {
    await receives('tab')
    const stored = root.folders.get('received')?.folders.get('tab')?.files.get(`${ITEM} 1`) as DiskFile
    stored.bytes = stored.bytes.slice(0, 2)
    expect(await finds()).toBeNull()
    root.folders.get('received')?.folders.delete('tab')
    expect(await finds()).toBeNull()
  })

  it('does not outlive the page when the journal cannot be written, and the sink says so', async () => {
    const enter = vi.spyOn(journal, 'enter').mockRejectedValueOnce(new DOMException('', 'UnknownError'))
    expect((await receives('tab')).isKept).toBe(false)
    enter.mockRestore()
    expect(await finds()).toBeNull()
  })

  it('is removed with its item by any page', async () => {
    await receives('tab')
    await diskOf('later').forget(ITEM)
    expect(kept()).toEqual([])
    expect(await finds()).toBeNull()
  })

  it('stays while the tab that received it is open, which removes it itself', async () => {
    await receives('tab')
    locks.add('received/tab')
    await diskOf('later').forget(ITEM)
    expect(await finds()).toBe('abc')
    await disk.forget(ITEM)
    expect(kept()).toEqual([])
    expect(await finds()).toBeNull()
  })

  it('takes no other along when it is swept: unfinished ones go, complete ones stay', async () => {
    await receives('tab')
    await (await disk.open(file(3, OTHER))).write(0, text('abc'))
    for (const one of root.folders.get('received')?.folders.get('tab')?.files.values() ?? [])
      one.isOpen = false
    await starts()
    expect(kept()).toEqual([`${ITEM} 1`])
  })

  it('is removed when no page has shown it for a week', async () => {
    await receives('tab')
    now = UNUSED_MS
    await starts()
    expect(await finds()).toBe('abc')
    now += UNUSED_MS
    await starts()
    expect(await finds()).toBe('abc')
    now += UNUSED_MS + 1
    await starts()
    expect(await finds()).toBeNull()
    expect(kept()).toEqual([])
  })
})

describe('a file that two tabs receive at the same time', () => {
  const later = () => new DiskFiles({ ...tabOf('later'), makeName: () => 'of another tab' }, new Journal())
  /** Both tabs are open, and both have begun. */
  const begin = async () => {
    for (const tab of ['tab', 'later']) locks.add(`received/${tab}`)
    const sinks = [await disk.open(file(6)), await later().open(file(6))] as const
    for (const sink of sinks) await sink.write(0, text('abcdef'))
    return sinks
  }
  /** What a page finds once both tabs are closed. */
  const finds = async () => {
    locks.clear()
    for (const folder of root.folders.get('received')?.folders.values() ?? [])
      for (const one of folder.files.values()) one.isOpen = false
    await sweepDisk(journal, now)
    const found = await new DiskFiles(tabOf('third'), new Journal()).find(file(6))
    return found?.is === 'complete' ? await found.file.text() : (found?.is ?? null)
  }
  const SOME = [{ first: 0, count: 1 }]

  it('stays complete in the one when the other gives it up', async () => {
    const [first, second] = await begin()
    await first.finish()
    await second.part?.keep([], false)
    await second.discard()
    expect(await finds()).toBe('abcdef')
  })

  it('is found whole when the other has a part and ends without a word', async () => {
    const [first, second] = await begin()
    await second.part?.keep(SOME, false)
    await first.finish()
    await second.part?.keep(SOME, false)
    expect(await finds()).toBe('abcdef')
  })

  it('is found as the larger of two parts', async () => {
    const [first, second] = await begin()
    await first.part?.keep(SOME, true)
    await second.part?.keep([], false)
    await second.discard()
    expect(await finds()).toBe('begun')
  })

  it('is that of the other once the one has given up', async () => {
    const [first, second] = await begin()
    await first.part?.keep(SOME, false)
    await second.part?.keep([], false)
    await first.discard()
    await second.part?.keep(SOME, false)
    expect(await finds()).toBe('begun')
    await second.discard()
    expect(await finds()).toBeNull()
  })
})

describe('a page that is open for longer than a week', () => {
  /** A page in 'tab' has received a file, complete or not, and stays open. */
  const stays = async (isComplete: boolean) => {
    const sink = await disk.open(file(3))
    await sink.write(0, text('abc'))
    if (isComplete) await sink.finish()
    else await sink.part?.keep([{ first: 0, count: 1 }], true)
    locks.add('received/tab')
  }
  const isReloaded = async () => {
    locks.delete('received/tab')
    for (const one of root.folders.get('received')?.folders.get('tab')?.files.values() ?? [])
      one.isOpen = false
    await sweepDisk(journal, now)
    return (await diskOf('later').find(file(3)))?.is ?? null
  }

  it.each([true, false])(
    'keeps what it shows when another page sweeps (complete: %s)',
    async (isComplete) => {
      await stays(isComplete)
      now = UNUSED_MS + 1
      await sweepDisk(journal, now)
      expect(await isReloaded()).toBe(isComplete ? 'complete' : 'begun')
    },
  )

  it.each([true, false])('keeps what it shows when it is reloaded (complete: %s)', async (isComplete) => {
    await stays(isComplete)
    now = UNUSED_MS
    await disk.stillShows()
    now += UNUSED_MS
    expect(await isReloaded()).toBe(isComplete ? 'complete' : 'begun')
  })

  it('keeps a complete file that an earlier one has received', async () => {
    await stays(true)
    locks.delete('received/tab')
    now = UNUSED_MS
    await diskOf('later').find(file(3))
    locks.add('received/later')
    now += UNUSED_MS + 1
    await sweepDisk(journal, now)
    expect((await diskOf('third').find(file(3)))?.is).toBe('complete')
  })

  it('keeps no file of a beam that it has left', async () => {
    await stays(true)
    await disk.leave(ITEM)
    now = UNUSED_MS + 1
    await disk.stillShows()
    expect(await isReloaded()).toBeNull()
  })
})

describe('an unfinished file', () => {
  beforeEach(() => {
    quota = 1_000_000
  })
  const SIZE = 3 * CHUNK_BYTES + 5
  const chunk = (of: number) => new Uint8Array(CHUNK_BYTES).fill(of)
  const stored = () => root.folders.get('received')?.folders.get('tab')?.files.values().next().value
  /** The page in the tab receives the chunks 0 and 2, and ends without a word. */
  const receivesSome = async () => {
    const sink = await disk.open(file(SIZE))
    await sink.write(0, chunk(1))
    await sink.write(2 * CHUNK_BYTES, chunk(3))
    const durable = [
      { first: 0, count: 1 },
      { first: 2, count: 1 },
    ]
    await sink.part?.keep(durable, false)
    return sink
  }
  /** The system closes what the page had open. */
  const ends = () => {
    for (const { files } of root.folders.get('received')?.folders.values() ?? [])
      for (const one of files.values()) one.isOpen = false
  }

  it('is gone on with by its own page although the browser has lost the journal', async () => {
    const sink = await receivesSome()
    await sink.part?.leave()
    await new Journal().remove(file(SIZE).id)
    expect((await disk.open(file(SIZE))).part?.before).toHaveLength(2)
  })

  it('is found and gone on with by a later page, which needs only the rest', async () => {
    await receivesSome()
    ends()
    await sweepDisk(journal, now)
    const later = diskOf('later')
    expect(await later.find(file(SIZE))).toEqual({ is: 'begun', bytes: 2 * CHUNK_BYTES, isPaused: false })
    const sink = await later.open(file(SIZE))
    expect(sink.part?.before).toEqual([
      { first: 0, count: 1 },
      { first: 2, count: 1 },
    ])
    expect(sink.read?.(2 * CHUNK_BYTES, 2)).toEqual(Uint8Array.of(3, 3))
    await sink.write(CHUNK_BYTES, chunk(2))
    await sink.write(3 * CHUNK_BYTES, new Uint8Array(5).fill(4))
    const whole = new Uint8Array(await ((await sink.finish()) ?? new Blob()).arrayBuffer())
    expect([0, 1, 2, 3].map((at) => whole[at * CHUNK_BYTES])).toEqual([1, 2, 3, 4])
    expect(whole).toHaveLength(SIZE)
    expect(await disk.find(file(SIZE))).toMatchObject({ is: 'complete' })
  })

  it('is left to the tab that receives it', async () => {
    await receivesSome()
    locks.add('received/tab')
    expect(await diskOf('later').find(file(SIZE))).toBeNull()
    const other = await diskOf('later').open(file(SIZE))
    expect(other.part?.before).toEqual([])
  })

  it('belongs to the page that goes on with it', async () => {
    await receivesSome()
    ends()
    await diskOf('later').open(file(SIZE))
    locks.add('received/later')
    expect(await diskOf('third').find(file(SIZE))).toBeNull()
  })

  it('is begun anew when the browser has cleared or cut it off', async () => {
    const cut = () => {
      const one = stored()
      if (one) one.bytes = one.bytes.slice(0, CHUNK_BYTES)
    }
    for (const loses of [cut, () => root.folders.get('received')?.folders.delete('tab')]) {
      await receivesSome()
      ends()
      loses()
      expect((await diskOf('later').open(file(SIZE))).part?.before).toEqual([])
      ends()
      await diskOf('later').forget(ITEM)
    }
  })

  /** The pauses between tries pass while a file is opened. */
  const opens = async (files: DiskFiles) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let isOver = false
    const opening = files.open(file(SIZE)).finally(() => {
      isOver = true
    })
    opening.catch(() => {})
    while (!isOver) {
      await vi.advanceTimersByTimeAsync(10)
      await new Promise((resolve) => setImmediate(resolve))
    }
    vi.useRealTimers()
    return opening
  }
  const busy = new DOMException('open already', 'NoModificationAllowedError')

  it('is waited for while the page that was left still has it open', async () => {
    await receivesSome()
    ends()
    const opening = vi.spyOn(stored() as DiskFile, 'createSyncAccessHandle')
    for (let tries = 0; tries < 30; tries++) opening.mockRejectedValueOnce(busy)
    expect((await opens(diskOf('later'))).part?.before).toHaveLength(2)
  })

  it.each([
    ['is open elsewhere', busy],
    ['cannot be opened for a reason of the browser', new DOMException('', 'UnknownError')],
  ])('f6 stays where it is while it %s', async (_, error) => {
    await receivesSome()
    ends()
    const opening = vi.spyOn(stored() as DiskFile, 'createSyncAccessHandle').mockRejectedValue(error)
    const later = diskOf('later')
    await expect(opens(later)).rejects.toThrow(PartUnopened)
    expect(await later.find(file(SIZE))).toMatchObject({ is: 'begun', bytes: 2 * CHUNK_BYTES })
    opening.mockRestore()
    expect((await later.open(file(SIZE))).part?.before).toHaveLength(2)
  })

  it('is gone on with also where the browser does not tell how much room there is', async () => {
    const sink = await receivesSome()
    await sink.part?.leave()
    tellsRoom = false
    expect((await diskOf('later').open(file(SIZE))).part?.before).toHaveLength(2)
  })

  it('r4 is gone on with as far as it was received, also where the last of that did not come into the journal', async () => {
    const sink = await receivesSome()
    const refused = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
      throw new DOMException('', 'QuotaExceededError')
    })
    await sink.part?.keep([{ first: 0, count: 3 }], false).catch(() => {})
    expect(refused).toHaveBeenCalled()
    refused.mockRestore()
    await sink.part?.leave()
    expect((await disk.open(file(SIZE))).part?.before).toEqual([{ first: 0, count: 3 }])
  })

  describe('f19 the hashes that were told of it', () => {
    const hash = (of: number) => new Uint8Array(32).fill(of)
    const told = new Map([
      [0, hash(1)],
      [7, hash(8)],
    ])
    const isTold = async () => {
      const sink = await receivesSome()
      sink.part?.hashes?.keep(told)
      return sink
    }
    const known = () => journal.hashes.names()

    it('are there for a later page', async () => {
      await isTold()
      ends()
      await sweepDisk(journal, now)
      expect((await diskOf('later').open(file(SIZE))).part?.hashes?.before).toEqual(told)
    })

    it.each([
      ['it is complete', async () => void (await (await isTold()).finish())],
      ['it is given up', async () => (await isTold()).discard()],
      [
        'it is forgotten by a later page',
        async () => {
          await isTold()
          ends()
          await diskOf('later').forget(ITEM)
        },
      ],
      [
        'it is swept',
        async () => {
          await isTold()
          now = UNUSED_MS + 1
          await sweepDisk(journal, now)
        },
      ],
    ])('go when %s', async (_, ended) => {
      await ended()
      await vi.waitFor(async () => expect(await known()).toEqual([]))
    })

    it('keep nothing on the disk where the browser refuses to remove them', async () => {
      const sink = await isTold()
      const refused = vi
        .spyOn(Table.prototype, 'remove')
        .mockRejectedValue(new DOMException('', 'UnknownError'))
      await sink.discard()
      expect(refused).toHaveBeenCalled()
      expect(kept()).toEqual([])
      refused.mockRestore()
    })
  })

  it('is in the list of what waits, until it is complete or removed', async () => {
    const sink = await receivesSome()
    const listed = {
      id: ITEM,
      name: 'a.txt',
      beam: BEAM,
      size: SIZE,
      bytes: 2 * CHUNK_BYTES,
      usedAt: now,
      isElsewhere: false,
    }
    expect(await disk.unfinished()).toEqual([listed])
    locks.add('received/tab')
    expect(await diskOf('later').unfinished()).toEqual([{ ...listed, isElsewhere: true }])
    locks.delete('received/tab')
    expect(await diskOf('later').unfinished()).toEqual([listed])
    await sink.finish()
    expect(await disk.unfinished()).toEqual([])
    await disk.forget(ITEM)
    await receivesSome()
    await disk.forget(ITEM)
    expect(await disk.unfinished()).toEqual([])
  })

  it('is not swept while a page shows it, also when it waits', async () => {
    const sink = await receivesSome()
    await sink.part?.keep([{ first: 0, count: 1 }], true)
    await sink.part?.leave()
    for (let day = 0; day < 10; day += 1) {
      now += 25 * 60 * 60 * 1000
      expect(await diskOf('later').find(file(SIZE))).toMatchObject({ is: 'begun', isPaused: true })
      await sweepDisk(journal, now)
    }
  })

  it('says to a later page that the person has paused it', async () => {
    const sink = await receivesSome()
    await sink.part?.keep([{ first: 0, count: 1 }], true)
    await sink.part?.leave()
    expect(await diskOf('later').find(file(SIZE))).toEqual({
      is: 'begun',
      bytes: CHUNK_BYTES,
      isPaused: true,
    })
    const again = await disk.open(file(SIZE))
    expect(await disk.find(file(SIZE))).toMatchObject({ isPaused: false })
    await again.discard()
  })

  it('f18 is paused and gone on with also while it is not open, by who may go on with it', async () => {
    const sink = await receivesSome()
    await sink.part?.leave()
    const later = diskOf('later')
    const isPaused = async () => {
      const found = await disk.find(file(SIZE))
      return found?.is === 'begun' && found.isPaused
    }
    await later.turn(ITEM, true)
    expect(await isPaused()).toBe(true)
    await disk.turn(ITEM, false)
    expect(await isPaused()).toBe(false)
    // The chunks that are there stay entered.
    expect(await later.find(file(SIZE))).toMatchObject({ bytes: 2 * CHUNK_BYTES })
    locks.add('received/tab')
    await later.turn(ITEM, true)
    expect(await isPaused()).toBe(false)
  })

  it('is not paused any more once it is complete or gone', async () => {
    const sink = await receivesSome()
    await sink.write(3 * CHUNK_BYTES, new Uint8Array(5))
    await sink.finish()
    await disk.turn(ITEM, true)
    expect(await disk.find(file(SIZE))).toMatchObject({ is: 'complete' })
    await disk.forget(ITEM)
    await disk.turn(ITEM, true)
    expect(await journal.all()).toEqual([])
  })

  it('is gone when it is discarded, and an entry that was under way does not bring it back', async () => {
    const sink = await receivesSome()
    const entered = sink.part?.keep([{ first: 0, count: 1 }], false)
    await sink.discard()
    await entered
    expect(kept()).toEqual([])
    expect(await disk.find(file(SIZE))).toBeNull()
    expect(await journal.all()).toEqual([])
  })

  it('is left as it was kept last, and needs no more room than its rest', async () => {
    const sink = await receivesSome()
    await sink.part?.leave()
    quota = SIZE
    const later = diskOf('later')
    const rest = await later.open(file(SIZE))
    expect(rest.part?.before).toHaveLength(2)
    await rest.write(CHUNK_BYTES, chunk(2))
    await expect(later.open(file(1, OTHER))).rejects.toThrow(NoRoom)
  })

  it('f6_waits_where_it_is_when_there_is_no_room_for_its_rest, and is gone on with once there is', async () => {
    const sink = await receivesSome()
    await sink.part?.leave()
    quota = usage
    const later = diskOf('later')
    await expect(later.open(file(SIZE))).rejects.toMatchObject({ why: { reason: 'diskFull' } })
    expect(await later.find(file(SIZE))).toMatchObject({ is: 'begun', bytes: 2 * CHUNK_BYTES })
    // The hole between its chunks is counted already.
    quota = SIZE
    expect((await later.open(file(SIZE))).part?.before).toHaveLength(2)
  })

  it('is no reason to wait for room when the browser has cleared it', async () => {
    const sink = await receivesSome()
    await sink.part?.leave()
    root.folders.get('received')?.folders.delete('tab')
    usage = quota
    await expect(diskOf('later').open(file(SIZE))).rejects.toMatchObject({ why: { reason: 'noRoomHere' } })
  })

  it('r4_gives_back_some_of_what_has_filled_the_disk, and goes on from there once there is room', async () => {
    const [chunks, size] = [1_024, 2_048 * CHUNK_BYTES]
    quota = size
    const sink = await disk.open(file(size))
    await sink.write(0, new Uint8Array(chunks * CHUNK_BYTES))
    room = usage
    expect(() => sink.write(chunks * CHUNK_BYTES, chunk(1))).toThrow(NoRoom)
    const left = chunks * CHUNK_BYTES - 8 * 1024 * 1024
    expect(usage).toBe(left)
    await sink.part?.keep([{ first: 0, count: chunks }], false)
    await sink.part?.leave()
    room = Number.POSITIVE_INFINITY
    expect(await disk.find(file(size))).toMatchObject({ is: 'begun', bytes: left })
    const { before } = (await disk.open(file(size))).part ?? {}
    expect(before).toEqual([{ first: 0, count: left / CHUNK_BYTES }])
  })

  it('is removed when nobody has gone on with it for a week', async () => {
    await receivesSome()
    ends()
    now = UNUSED_MS + 1
    await sweepDisk(journal, now)
    expect(await diskOf('later').find(file(SIZE))).toBeNull()
    expect(kept()).toEqual([])
  })
})
