/** For tests: the browser's disk, with what the test says of its room, and the tabs that have files on it. */

import { IDBFactory } from 'fake-indexeddb'
import { vi } from 'vitest'
import type { BeamId, ItemId } from '../../protocol/bindings'
import { tabFolder } from './disk-folders'
import { Journal } from './journal'
import { DiskFiles, type DiskTab } from './opfs'

export const ITEM = '01234567-89ab-4cde-8f01-23456789abcd' as ItemId
export const OTHER = '11234567-89ab-4cde-8f01-23456789abcd' as ItemId
export const BEAM = 'a beam' as BeamId
export const file = (size: number, id = ITEM) => ({
  id,
  size,
  type: 'text/plain',
  name: 'a.txt',
  beam: BEAM,
})
export const text = (of: string) => new TextEncoder().encode(of) as Uint8Array<ArrayBuffer>

/** A file of the browser's disk. It can be open once at a time, like a synchronous handle. */
export class StageFile {
  bytes = new Uint8Array()
  isOpen = false

  readonly #stage: DiskStage

  constructor(stage: DiskStage) {
    this.#stage = stage
  }

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
        this.#stage.usage -= this.bytes.length - length
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
    if (this.#stage.usage + end - this.bytes.length > this.#stage.room) return 0
    const longer = new Uint8Array(end)
    longer.set(this.bytes)
    longer.set(part, at)
    this.#stage.usage += longer.length - this.bytes.length
    this.bytes = longer
    return part.length
  }

  async getFile() {
    return new Blob([this.bytes])
  }
}

export class StageFolder {
  readonly files = new Map<string, StageFile>()
  readonly folders = new Map<string, StageFolder>()
  readonly #stage: DiskStage

  constructor(stage: DiskStage) {
    this.#stage = stage
  }

  async getFileHandle(name: string, { create = false } = {}) {
    if (!create && !this.files.has(name)) throw new DOMException('', 'NotFoundError')
    const file = this.files.get(name) ?? new StageFile(this.#stage)
    this.files.set(name, file)
    return file
  }

  async getDirectoryHandle(name: string, { create = false } = {}) {
    if (!create && !this.folders.has(name)) throw new DOMException('', 'NotFoundError')
    const folder = this.folders.get(name) ?? new StageFolder(this.#stage)
    this.folders.set(name, folder)
    return folder
  }

  async removeEntry(name: string) {
    const file = this.files.get(name)
    if (file?.isOpen) throw new DOMException('open', 'NoModificationAllowedError')
    this.#stage.usage -= file?.bytes.length ?? 0
    if (!this.files.delete(name) && !this.folders.delete(name)) throw new DOMException('', 'NotFoundError')
  }

  async *keys() {
    yield* [...this.files.keys(), ...this.folders.keys()]
  }
}

/** The disk of a browser that has begun to run the page in 'tab'. */
export class DiskStage {
  readonly root = new StageFolder(this)
  quota = 1_000
  /** Counts the length of each file, holes and all, as Chromium and Firefox do. */
  usage = 0
  /** What the disk has room for. The browser may give more than that. */
  room = Number.POSITIVE_INFINITY
  /** What Chromium alone tells. */
  details: { usageDetails?: object } = {}
  /** Whether the browser tells how much room there is. */
  tellsRoom = true
  /** Names of the locks that are held. */
  readonly locks = new Set<string>()
  now = 0
  readonly journal: Journal
  readonly disk: DiskFiles

  constructor() {
    vi.stubGlobal('indexedDB', new IDBFactory())
    vi.stubGlobal('navigator', {
      storage: {
        estimate: async () => {
          if (!this.tellsRoom) throw new TypeError('Internal error when estimating storage usage.')
          return { quota: this.quota, usage: this.usage, ...this.details }
        },
        getDirectory: async () => this.root,
      },
      locks: {
        request: (name: string, ...rest: unknown[]) => {
          const held = rest.at(-1) as (lock: object | null) => Promise<void>
          const [how] = rest as [{ signal?: AbortSignal }]
          if (how.signal && this.locks.has(name)) return Promise.reject(new DOMException('', 'TimeoutError'))
          if (rest.length > 1 && this.locks.has(name)) return held(null)
          this.locks.add(name)
          return Promise.resolve(held({ name })).finally(() => this.locks.delete(name))
        },
        query: async () => ({ held: [...this.locks].map((name) => ({ name })) }),
      },
    })
    this.journal = new Journal()
    this.disk = this.diskOf('tab')
  }

  /** What a page in a tab has of the disk. */
  diskOf(name: string, folder = () => tabFolder(name)): DiskFiles {
    return new DiskFiles({ ...this.tabOf(name), folder }, this.journal)
  }

  tabOf(name: string): DiskTab {
    let names = 0
    return { name, folder: () => tabFolder(name), makeName: () => `${++names}`, now: () => this.now }
  }

  /** Names of the files that the page in 'tab' has on the disk. */
  kept(): string[] {
    return [...this.files('tab').keys()]
  }

  /** The files of a page in this tab. */
  files(tab: string): Map<string, StageFile> {
    return this.root.folders.get('received')?.folders.get(tab)?.files ?? new Map()
  }

  /** The system closes what pages had open, in one tab or in all. */
  closes(tab?: string): void {
    const { folders = new Map<string, StageFolder>() } = this.root.folders.get('received') ?? {}
    for (const [name, { files }] of folders)
      if (tab === undefined || name === tab) for (const one of files.values()) one.isOpen = false
  }
}
