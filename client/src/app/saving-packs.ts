/** Saves the files of an item that is many (F16): one of them, some, or all. */
import { plural, t } from '@lingui/core/macro'
import type { Actions } from '../features/actions'
import type { ItemId } from '../protocol/bindings'
import { lastPart, type Manifest, type PlacedFile } from '../protocol/manifest'
import { type Download, downloadsOf } from '../stores/downloads'
import { reduceSaves, type SavesEvent } from '../stores/saves'
import { readPart } from '../transport/http'
import { PackReader } from '../transport/pack-reader'
import {
  canPickFile,
  canPickFolder,
  concernsAll,
  pickFile,
  SavedTree,
  type SaveFolder,
  saveInto,
} from '../transport/save-folder'
import { putIntoArchive } from './archiving'
import { blobBehind } from './blob-urls'
import type { Context } from './context'
import { downloadFrom } from './downloading'
import { typedByBytes } from './media-kinds'
import type { Job, Target } from './pack-job'
import type { SavePlaces } from './save-place'

/** The progress of thousands of files is told at most so often, in milliseconds. */
const TOLD_EVERY_MS = 100

/** What came of saving into a folder. */
interface Outcome {
  readonly saved: number
  readonly of: number
  /** The path of the first file that could not be saved. */
  readonly failed: string | undefined
}

export interface PackSaving extends Pick<Actions, 'savePacked' | 'saveChosen' | 'stopSaving'> {
  /** Whether an item is a pack whose list is known. */
  isPack(id: ItemId): boolean
  /** Saves all files of a pack, into a folder that was picked or as the person is asked now. */
  save(id: ItemId, folder?: SaveFolder): Promise<void>
}

export function createPackSaving(
  { stores, toaster }: Pick<Context, 'stores' | 'toaster'>,
  places: Pick<SavePlaces, 'folder'>,
): PackSaving {
  const tell = (event: SavesEvent) => stores.saves.setState((state) => reduceSaves(state, event), true)
  const stops = new Map<ItemId, AbortController>()
  const askFolder = () => askFolderOf(places)

  /** Tells how many files were begun, as seldom as the screen needs it. */
  const counting = (id: ItemId, of: number) => {
    let toldAt = Number.NEGATIVE_INFINITY
    return (saved: number) => {
      if (performance.now() - toldAt < TOLD_EVERY_MS) return
      toldAt = performance.now()
      tell({ type: 'saving', id, save: { status: 'saving', saved, of } })
    }
  }

  const run = async (id: ItemId, part: Manifest, target: Target, { signal }: AbortController) => {
    if (downloadsOf([id], stores).length === 0) tell({ type: 'saving', id, save: { status: 'waiting' } })
    const download = await arrived(stores, id, signal)
    if (!download) return
    const count = counting(id, part.files.length)
    count(0)
    const reader = new PackReader((start) => readFrom(download.url, start))
    try {
      await put(toaster, target, { ...part, reader, signal, count }, download.name)
    } catch (error) {
      // What browsers make of a stream that was stopped differs: Chromium's responses fail with a TypeError.
      if (!signal.aborted) toaster.bad(failureOf(error, reader, download.name))
    } finally {
      await reader.cancel()
    }
  }

  const start = async (id: ItemId, part: Manifest, askTarget: () => Promise<Target | null>) => {
    if (stops.has(id)) return
    const stop = new AbortController()
    stops.set(id, stop)
    try {
      const target = await askTarget()
      if (target) await run(id, part, target, stop)
    } finally {
      stops.delete(id)
      tell({ type: 'ended', id })
    }
  }

  const nameOf = (id: ItemId) => {
    const content = stores.items.getState().items.find((item) => item.id === id)?.content
    return content?.kind === 'file' ? content.name : ''
  }

  const listOf = (id: ItemId) => {
    const list = stores.packs.getState().lists[id]
    return list === 'unreadable' ? undefined : list
  }

  return {
    isPack: (id) => listOf(id) !== undefined,
    async save(id, folder) {
      const list = listOf(id)
      if (list) await start(id, list, folder ? async () => ({ to: 'folder', folder }) : askFolder)
    },
    saveChosen: (id, part, as) => start(id, part, as === 'zip' ? () => askFile(nameOf(id)) : askFolder),
    stopSaving: (id) => stops.get(id)?.abort(),
    async savePacked(id, file) {
      const [download] = downloadsOf([id], stores)
      if (!download) return
      const name = lastPart(file.path)
      const isKept = stores.savePlace.getState().status === 'kept'
      const folder = isKept && (await places.folder())
      if (isKept && !folder) return
      try {
        const bytes = await readFile(download.url, file)
        if (folder) {
          await saveInto(folder, name, bytes.stream())
          toaster.ok(savedText(name))
        } else downloadFrom(await typedByBytes(bytes, 'file'), name)
      } catch {
        toaster.bad(notSaved(name))
      }
    },
  }
}

async function askFolderOf(places: Pick<SavePlaces, 'folder'>): Promise<Target | null> {
  if (!canPickFolder()) return { to: 'downloads' }
  const folder = await places.folder()
  return folder && { to: 'folder', folder }
}

async function askFile(name: string): Promise<Target | null> {
  if (!canPickFile()) return { to: 'downloads' }
  const file = await pickFile(`${name}.zip`)
  return file && { to: 'file', file }
}

/** @param name of the item */
async function put(toaster: Context['toaster'], target: Target, job: Job, name: string): Promise<void> {
  if (target.to !== 'folder') {
    await putIntoArchive(target, job, name)
    // Of a download the browser tells itself.
    if (target.to === 'file') toaster.ok(savedText(target.file.name))
    return
  }
  const outcome = await putInto(target.folder, job)
  const { saved, of: all } = outcome
  if (outcome.failed === undefined) {
    const text = plural(saved, { one: 'Saved # file', other: 'Saved # files' })
    return void toaster.ok(all === 0 ? savedText(name) : text)
  }
  toaster.bad(notSavedAll(saved, all, outcome.failed))
}

function notSavedAll(saved: number, all: number, name: string): string {
  return t`Saved ${saved} of ${all} files. “${name}” could not be saved.`
}

function failureOf(error: unknown, reader: PackReader, name: string): string {
  const isFull = !reader.hasFailed && error instanceof DOMException && error.name === 'QuotaExceededError'
  return isFull ? t`There is no room on this device to save “${name}”. Choose fewer files.` : notSaved(name)
}

function savedText(name: string): string {
  return t`Saved “${name}”`
}

function notSaved(name: string): string {
  return t`“${name}” could not be saved.`
}

/** Waits until an item is here. Resolves to null when it is deleted or the signal ends the waiting. */
function arrived(stores: Context['stores'], id: ItemId, signal: AbortSignal): Promise<Download | null> {
  const ends = new AbortController()
  return new Promise<Download | null>((resolve) => {
    const look = () => {
      const [download] = downloadsOf([id], stores)
      const isGone = stores.items.getState().items.every((item) => item.id !== id)
      if (download || isGone || signal.aborted) resolve(download ?? null)
    }
    for (const store of [stores.items, stores.transfers])
      ends.signal.addEventListener('abort', store.subscribe(look))
    signal.addEventListener('abort', look, { signal: ends.signal })
    look()
  }).finally(() => ends.abort())
}

/** A disk may refuse one file, for its name or its length; the others are saved. */
async function putInto(folder: SaveFolder, { files, folders, reader, signal, count }: Job): Promise<Outcome> {
  const tree = new SavedTree(folder)
  let saved = 0
  let failed: string | undefined
  const attempt = async (path: string, save: () => Promise<void>) => {
    try {
      await save()
      return true
    } catch (error) {
      if (signal.aborted || reader.hasFailed) throw error
      failed ??= path
      return !concernsAll(error)
    }
  }
  for (const path of folders) if (!(await attempt(path, () => tree.make(path)))) break
  for (const [index, file] of files.entries()) {
    count(index)
    const save = async () => {
      await tree.save(file.path, await reader.next(file), signal)
      saved += 1
    }
    if (!(await attempt(file.path, save))) break
  }
  return { saved, of: files.length, failed }
}

/** Returns one file of a pack. Of bytes that are on this device, nothing is read for it. */
async function readFile(url: string, { start, size }: PlacedFile): Promise<Blob> {
  const blob = blobBehind(url)
  if (blob) return blob.slice(start, start + size)
  return size === 0 ? new Blob() : (await readPart(url, start, size)).blob()
}

/** Reads a pack from an offset on. */
async function readFrom(url: string, start: number): Promise<ReadableStream<Uint8Array>> {
  const blob = blobBehind(url)
  const bytes = blob ? blob.slice(start).stream() : (await readPart(url, start)).body
  if (!bytes) throw new Error('no bytes')
  return bytes
}
