/** Saves the files of an item that is many files (F16): one of them, or all. */
import { plural, t } from '@lingui/core/macro'
import type { Actions } from '../features/actions'
import type { ItemId } from '../protocol/bindings'
import type { PlacedFile } from '../protocol/manifest'
import { type Download, downloadsOf } from '../stores/downloads'
import { reduceSaves, type SavesEvent } from '../stores/saves'
import { StreamCutter } from '../transport/cut-stream'
import { readPart } from '../transport/http'
import { canPickFolder, pickFolder, type SaveFolder, saveUnder } from '../transport/save-folder'
import { loadable } from '../ui/lazy-part'
import { blobBehind } from './blob-urls'
import type { Context } from './context'
import { downloadFrom } from './downloading'
import { typedByBytes } from './media-kinds'

/** The progress of thousands of files is told at most so often, in milliseconds. */
const TOLD_EVERY_MS = 100

/** Only who saves an archive needs it. */
const loadArchive = loadable(() => import('../transport/archive'))

/** All files of a pack on their way to where they are saved. */
interface Job {
  readonly files: readonly PlacedFile[]
  /** Gives the bytes of one file after another. */
  readonly cutter: StreamCutter
  readonly signal: AbortSignal
  /** Called with the number of files that are done. */
  readonly count: (saved: number) => void
}

/** What came of saving into a folder. */
interface Outcome {
  readonly saved: number
  readonly of: number
  /** The path of the first file that could not be saved. */
  readonly failed: string | undefined
}

export interface PackSaving extends Pick<Actions, 'savePacked' | 'stopSaving'> {
  /** Saves all files of a pack whose list is known. Returns false for any other item. */
  saveAll(id: ItemId): boolean
}

export function createPackSaving({ stores, toaster }: Pick<Context, 'stores' | 'toaster'>): PackSaving {
  const tell = (event: SavesEvent) => stores.saves.setState((state) => reduceSaves(state, event), true)
  const failed = (name: string) => toaster.bad(t`“${name}” could not be saved.`)
  const failedSome = (saved: number, all: number, name: string) =>
    toaster.bad(t`Saved ${saved} of ${all} files. “${name}” could not be saved.`)
  const stops = new Map<ItemId, AbortController>()

  /** Tells how many files were begun, as seldom as the screen needs it. */
  const counting = (id: ItemId, of: number) => {
    let toldAt = Number.NEGATIVE_INFINITY
    return (saved: number) => {
      if (performance.now() - toldAt < TOLD_EVERY_MS) return
      toldAt = performance.now()
      tell({ type: 'saving', id, save: { saved, of } })
    }
  }

  const put = async (folder: SaveFolder | undefined, job: Job, name: string) => {
    if (!folder) return putIntoArchive(name, job)
    const { saved, of: all, failed: missing } = await putInto(folder, job)
    if (missing === undefined) toaster.ok(plural(saved, { one: 'Saved # file', other: 'Saved # files' }))
    else failedSome(saved, all, missing)
  }

  const save = async (id: ItemId, download: Download, files: readonly PlacedFile[]) => {
    const folder = canPickFolder() ? await pickFolder() : undefined
    if (folder === null || stops.has(id)) return
    const stop = new AbortController()
    stops.set(id, stop)
    const count = counting(id, files.length)
    count(0)
    try {
      const cutter = new StreamCutter(await readFrom(download.url, files[0]?.start ?? 0))
      const job = { files, cutter, signal: stop.signal, count }
      await put(folder, job, download.name).finally(() => cutter.cancel())
    } catch {
      // What browsers make of a stream that was stopped differs: Chromium's responses fail with a TypeError.
      if (!stop.signal.aborted) failed(download.name)
    } finally {
      stops.delete(id)
      tell({ type: 'ended', id })
    }
  }

  const find = (id: ItemId) => {
    const list = stores.packs.getState().lists[id]
    const [download] = downloadsOf([id], stores)
    return list && list !== 'unreadable' && download ? { list, download } : null
  }

  return {
    saveAll(id) {
      const pack = find(id)
      if (!pack) return false
      const { list, download } = pack
      if (stops.has(id)) return true
      void save(id, download, list)
      return true
    },
    stopSaving: (id) => stops.get(id)?.abort(),
    async savePacked(id, file) {
      const pack = find(id)
      if (!pack) return
      const name = file.path.slice(file.path.lastIndexOf('/') + 1)
      try {
        downloadFrom(await typedByBytes(await readFile(pack.download.url, file), 'file'), name)
      } catch {
        failed(name)
      }
    },
  }
}

/** A disk may refuse one file, for its name or its length; the others are saved. */
async function putInto(folder: SaveFolder, { files, cutter, signal, count }: Job): Promise<Outcome> {
  let saved = 0
  let failed: string | undefined
  for (const [index, { path, size }] of files.entries()) {
    count(index)
    try {
      await saveUnder(folder, path, cutter.next(size), signal)
      saved += 1
    } catch (error) {
      if (signal.aborted || cutter.hasFailed) throw error
      failed ??= path
      if (concernsAll(error)) break
    }
  }
  return { saved, of: files.length, failed }
}

/** Whether every other file would fail as well: the folder may no longer be used, or the disk is full. */
function concernsAll(error: unknown): boolean {
  return error instanceof DOMException && ['NotAllowedError', 'QuotaExceededError'].includes(error.name)
}

/** Downloads the files as one archive. */
async function putIntoArchive(name: string, { files, cutter, signal, count }: Job): Promise<void> {
  const { zip } = await loadArchive()
  const entries = files.map(({ path, size, modified }, saved) => {
    const bytes = () => {
      count(saved)
      return cutter.next(size)
    }
    return { path, size, modified, bytes }
  })
  // The browser keeps the bytes of a response, on its disk when they are many.
  const whole = zip(entries).pipeThrough(new TransformStream(), { signal })
  const headers = { 'content-type': 'application/zip' }
  downloadFrom(await new Response(whole, { headers }).blob(), `${name}.zip`)
}

/** Returns one file of a pack. Of bytes that are on this device, nothing is read for it. */
async function readFile(url: string, { start, size }: PlacedFile): Promise<Blob> {
  const blob = blobBehind(url)
  if (blob) return blob.slice(start, start + size)
  return size === 0 ? new Blob() : (await readPart(url, start, size)).blob()
}

/** Reads a pack from the first of its files on. */
async function readFrom(url: string, start: number): Promise<ReadableStream<Uint8Array>> {
  const blob = blobBehind(url)
  const bytes = blob ? blob.slice(start).stream() : (await readPart(url, start)).body
  if (!bytes) throw new Error('no bytes')
  return bytes
}
