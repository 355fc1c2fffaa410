/** Saves the files of an item that is many (F16): one of them, some, or all. */
import { t } from '@lingui/core/macro'
import type { Actions } from '../features/actions'
import type { ItemId } from '../protocol/bindings'
import { lastPart, type Manifest } from '../protocol/manifest'
import type { Download } from '../stores/downloads'
import { reduceSaves, type Save, type SavesEvent } from '../stores/saves'
import { PackReader } from '../transport/pack-reader'
import {
  canPickFile,
  canPickFolder,
  dropPicked,
  pickFile,
  SavedTree,
  type SaveFolder,
} from '../transport/save-folder'
import { arrived, isGivenUp } from './arrival'
import type { Context } from './context'
import { bytesOf } from './file-bytes'
import { type Job, type Outcome, onlyFile, type Target } from './pack-job'
import { putInto } from './pack-saves'
import type { SavePlaces } from './save-place'
import { SaveProgress } from './save-progress'
import { noRoomFor, notSaved, notSavedAll, savedCount, savedText, withReason } from './save-words'

/** What is to be saved. The list of an item may be known only later. */
type Wanted = Manifest | 'all'

/** Asks the person where. Called while a press is handled. Resolves to null when they do not say. */
type Ask = () => Promise<Target | null>

interface Asked {
  readonly id: ItemId
  readonly wanted: Wanted
  readonly ask: Ask
}

export interface PackSaving extends Pick<Actions, 'savePacked' | 'saveChosen' | 'stopSaving'> {
  /** Whether an item is many files, also while its list is not known yet. */
  isPack(id: ItemId): boolean
  /** Saves all files of a pack, into a folder that was picked or as the person is asked now. */
  save(id: ItemId, folder?: SaveFolder): Promise<void>
}

export function createPackSaving(
  { stores, toaster }: Pick<Context, 'stores' | 'toaster'>,
  places: Pick<SavePlaces, 'folder' | 'kept'>,
  receive: Actions['receive'],
): PackSaving {
  const tell = (event: SavesEvent) => stores.saves.setState((state) => reduceSaves(state, event), true)
  const stops = new Map<ItemId, AbortController>()
  const askPlace: Ask = async () =>
    canPickFolder() ? intoFolder(await places.folder()) : { to: 'downloads' }

  /** Returns whether something was written. */
  const run = async (asked: Asked, target: Target, signal: AbortSignal) => {
    const { id, wanted } = asked
    if (isGivenUp(stores, id)) receive(id)
    const waits = () => tell({ type: 'saving', id, save: { status: 'waiting' } })
    const here = await arrived(stores, id, wanted === 'all', { signal, waits })
    if (!here) return false
    const { download, list } = here
    const part = wanted === 'all' ? listOf(list, download) : wanted
    const job = jobOf(download, part, signal, (save) => tell({ type: 'saving', id, save }))
    return write(asked, target, job, download).finally(() => job.reader.cancel())
  }

  const write = async ({ id, wanted, ask }: Asked, target: Target, job: Job, download: Download) => {
    const again = (rest: Wanted, askAgain: Ask) => {
      return { label: t`Try again`, run: () => void start({ id, wanted: rest, ask: askAgain }) }
    }
    try {
      const { tone, text, rest } = newsOf(await putInto(target, job, download), { target, job, download })
      // What is there already is not saved again.
      if (tone) toaster[tone](text, rest && again(rest, async () => target))
      return true
    } catch (error) {
      // What browsers make of a stream that was stopped differs: Chromium's responses fail with a TypeError.
      if (job.signal.aborted) return false
      const { name } = download
      if (isFull(error, job.reader)) toaster.bad(noRoomFor(name))
      else toaster.bad(withReason(notSaved(name), error), again(wanted, ask))
      return false
    }
  }

  const start = async (asked: Asked) => {
    const { id, ask } = asked
    if (stops.has(id)) return
    const stop = new AbortController()
    stops.set(id, stop)
    try {
      const target = await ask()
      const isWritten = target && (await run(asked, target, stop.signal))
      // The picker has made an empty one.
      if (target?.to === 'file' && !isWritten) await dropPicked(target.file)
    } finally {
      stops.delete(id)
      tell({ type: 'ended', id })
    }
  }

  const contentOf = (id: ItemId) => {
    const content = stores.items.getState().items.find((item) => item.id === id)?.content
    return content?.kind === 'file' ? content : undefined
  }

  return {
    isPack: (id) =>
      contentOf(id)?.manifest !== undefined && stores.packs.getState().lists[id] !== 'unreadable',
    save: (id, folder) =>
      start({ id, wanted: 'all', ask: folder ? async () => intoFolder(folder) : askPlace }),
    saveChosen(id, part, as) {
      if (as === 'zip') return start({ id, wanted: part, ask: () => askFile(contentOf(id)?.name ?? '') })
      return start({ id, wanted: canPickFolder() ? part : asOneFile(part), ask: askPlace })
    },
    stopSaving: (id) => stops.get(id)?.abort(),
    savePacked: (id, file) =>
      start({ id, wanted: asOneFile({ files: [file], folders: [] }), ask: () => askKept(places) }),
  }
}

/** The files to be saved of an item, and what reads them. */
function jobOf(
  { url, size: end }: Download,
  part: Manifest,
  signal: AbortSignal,
  tell: (save: Save) => void,
): Job {
  const progress = new SaveProgress(part, tell)
  const onCut = (isCut: boolean) => progress.cut(isCut)
  const reader = new PackReader(
    async (start) => bytesOf(url, { start, end, signal, onCut }),
    (bytes) => progress.read(bytes),
  )
  return { ...part, reader, signal, count: (saved) => progress.saved(saved) }
}

/** A list that breaks a rule is not believed, and the item is one file (F16). */
function listOf(list: Manifest | 'unreadable' | undefined, { name: path, size }: Download): Manifest {
  if (list && list !== 'unreadable') return list
  return { files: [{ path, size, type: '', modified: 0, start: 0 }], folders: [] }
}

/** A file that was chosen alone is saved without the folders above it. */
function asOneFile(part: Manifest): Manifest {
  const files = part.files.map((file) => ({ ...file, path: lastPart(file.path) }))
  return onlyFile({ ...part, files }) ? { ...part, files } : part
}

function intoFolder(folder: SaveFolder | null): Target | null {
  return folder && { to: 'folder', tree: new SavedTree(folder) }
}

async function askKept({ kept }: Pick<SavePlaces, 'kept'>): Promise<Target | null> {
  const folder = await kept()
  return folder === 'none' ? { to: 'downloads' } : intoFolder(folder)
}

async function askFile(name: string): Promise<Target | null> {
  if (!canPickFile()) return { to: 'downloads' }
  const file = await pickFile(`${name}.zip`)
  return file && { to: 'file', file }
}

/** Whether the person would have to pick the folder again. */
function isRefused(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'NotAllowedError'
}

interface News {
  /** Absent where the browser tells it. */
  readonly tone?: 'ok' | 'bad'
  readonly text: string
  /** What can be tried again. */
  readonly rest?: Manifest | undefined
}

/** What the person is told of a save. */
function newsOf(
  { saved, of, name, failed, stopped }: Outcome,
  { target, job, download }: { target: Target; job: Manifest; download: Download },
): News {
  if (failed.length > 0) {
    const text = notSavedAll(saved, of, of === 1 ? failed.map(lastPart) : failed)
    if (!stopped) return { tone: 'bad', text }
    const { why, rest } = stopped
    return { tone: 'bad', text: withReason(text, why), rest: isRefused(why) ? undefined : rest }
  }
  if (target.to === 'downloads') return { text: '' }
  const isNamed = target.to === 'file' || of === 0 || onlyFile(job) !== null
  return { tone: 'ok', text: isNamed ? savedText(name || download.name) : savedCount(saved) }
}

function isFull(error: unknown, reader: PackReader): boolean {
  return !reader.hasFailed && error instanceof DOMException && error.name === 'QuotaExceededError'
}
