/** Writes files into a folder that the person picks (File System Access). Only Chromium on desktops has it. */
import { above, lastPart } from '../protocol/manifest'
import { numbered } from '../protocol/names'
import { portableName } from '../protocol/saved-names'

/** The part of a picked folder that is used here. */
export type SaveFolder = Pick<FileSystemDirectoryHandle, 'name' | 'getFileHandle' | 'removeEntry'> & {
  getDirectoryHandle(name: string, options?: { create?: boolean }): Promise<SaveFolder>
}

/** Chromium's pickers, which the DOM types lack (File System Access, sections 3.2 and 3.3). */
interface FolderPicker {
  showDirectoryPicker(options: { id: string; mode: 'readwrite' }): Promise<FileSystemDirectoryHandle>
}
interface FilePicker {
  showSaveFilePicker(options: { id: string; suggestedName: string }): Promise<FileSystemFileHandle>
}

/** Under this name the browser remembers which folder was picked last. */
const PICKER = { id: 'received' } as const

export function canPickFolder(): boolean {
  return hasFolderPicker(globalThis)
}

export function canPickFile(): boolean {
  return hasFilePicker(globalThis)
}

function hasFolderPicker(scope: object): scope is FolderPicker {
  return 'showDirectoryPicker' in scope
}

function hasFilePicker(scope: object): scope is FilePicker {
  return 'showSaveFilePicker' in scope
}

/** Asks the person for a folder. Returns null when they closed the picker, or the browser refused the folder. */
export async function pickFolder(): Promise<FileSystemDirectoryHandle | null> {
  const scope: object = globalThis
  if (!hasFolderPicker(scope)) return null
  try {
    return await scope.showDirectoryPicker({ ...PICKER, mode: 'readwrite' })
  } catch {
    return null
  }
}

/** Asks the person for a file to write to; the browser asks before it replaces one. Returns null when they closed the picker. */
export async function pickFile(name: string): Promise<FileSystemFileHandle | null> {
  const scope: object = globalThis
  if (!hasFilePicker(scope)) return null
  const ask = (suggestedName: string) => scope.showSaveFilePicker({ ...PICKER, suggestedName })
  try {
    // The picker throws on a name that it would not suggest, before it opens.
    return await ask(name).catch((error) => (error instanceof TypeError ? ask(portableName(name)) : null))
  } catch {
    return null
  }
}

/** Removes a file that the picker made and nothing was written to. One that was to be replaced is empty by then as well. */
export async function dropPicked(file: FileSystemFileHandle & { remove?(): Promise<void> }): Promise<void> {
  try {
    if ((await file.getFile()).size === 0) await file.remove?.()
  } catch {
    // It is gone, or the page may not remove it.
  }
}

/** Files and folders that are saved together into a picked folder. */
export class SavedTree {
  readonly #folders = new Map<string, Promise<SaveFolder>>()

  constructor(root: SaveFolder) {
    this.#folders.set('', Promise.resolve(root))
  }

  /** Writes a file under a path, whose folders are made where they are missing. Returns its name there. */
  async save(path: string, bytes: ReadableStream, signal: AbortSignal): Promise<string> {
    return saveInto(await this.#folder(above(path)), lastPart(path), bytes, signal)
  }

  /** Makes a folder, which stays empty unless files come into it. */
  async make(path: string): Promise<void> {
    await this.#folder(path)
  }

  /** Each folder is looked up once: ten thousand files are in far fewer folders. */
  #folder(path: string): Promise<SaveFolder> {
    const known = this.#folders.get(path)
    if (known !== undefined) return known
    const parent = this.#folder(above(path))
    // A folder at the top is a new one, so that what it had does not mix with what comes.
    const isTop = !path.includes('/')
    const made = parent.then((folder) => makeFolder(folder, lastPart(path), isTop))
    this.#folders.set(path, made)
    made.catch(() => this.#folders.delete(path))
    return made
  }
}

async function makeFolder(parent: SaveFolder, name: string, isNew: boolean): Promise<SaveFolder> {
  return withAllowedName(name, (allowed) =>
    whileAlone(async () => {
      const isFree = async (candidate: string) => {
        const there = await lookUp(parent, candidate)
        return there === 'nothing' || (there === 'folder' && !isNew)
      }
      return parent.getDirectoryHandle(await firstFree(allowed, isFree), { create: true })
    }),
  )
}

/**
 * Writes a file under its name, or under a numbered one: what is in the folder already stays. Returns the name that it
 * has there.
 */
export async function saveInto(
  folder: SaveFolder,
  name: string,
  bytes: ReadableStream,
  signal?: AbortSignal,
): Promise<string> {
  const { free, stream } = await withAllowedName(name, (allowed) => openNew(folder, allowed))
  try {
    // The bytes go into a hidden file until they are all there.
    await bytes.pipeTo(stream, signal && { signal })
    return free
  } catch (error) {
    await dropEmpty(folder, free)
    throw error
  }
}

async function openNew(folder: SaveFolder, name: string) {
  const [free, handle] = await whileAlone(async () => {
    const found = await firstFree(name, async (candidate) => (await lookUp(folder, candidate)) === 'nothing')
    return [found, await folder.getFileHandle(found, { create: true })] as const
  })
  try {
    return { free, stream: await handle.createWritable() }
  } catch (error) {
    await dropEmpty(folder, free)
    throw error
  }
}

/** Without its bytes, a new file is an empty one. */
async function dropEmpty(folder: SaveFolder, name: string): Promise<void> {
  await folder.removeEntry(name).catch(() => {})
}

/** Tries a name as it is, and where the browser or the disk refuses it, one that every system takes. */
async function withAllowedName<Made>(name: string, make: (name: string) => Promise<Made>): Promise<Made> {
  try {
    return await make(name)
  } catch (error) {
    const portable = portableName(name)
    if (portable === name || concernsAll(error)) throw error
    return make(portable)
  }
}

/** Whether every other file would fail as well: the folder may no longer be used, or the disk is full. */
export function concernsAll(error: unknown): boolean {
  return error instanceof DOMException && ['NotAllowedError', 'QuotaExceededError'].includes(error.name)
}

/**
 * Looks for a free name and takes it, in no other page and for no other file at the same time: both would find the same
 * one, and the later file would replace the earlier.
 */
async function whileAlone<Taken>(take: () => Promise<Taken>): Promise<Taken> {
  return navigator.locks.request('saved-names', take)
}

async function firstFree(name: string, isFree: (name: string) => Promise<boolean>): Promise<string> {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : numbered(name, number)
    if (await isFree(candidate)) return candidate
  }
}

/** Says what has a name. Rejects when the browser refuses the name or the folder. */
async function lookUp(folder: SaveFolder, name: string): Promise<'nothing' | 'file' | 'folder'> {
  try {
    await folder.getFileHandle(name)
    return 'file'
  } catch (error) {
    if (!(error instanceof DOMException)) throw error
    if (error.name === 'TypeMismatchError') return 'folder'
    if (error.name === 'NotFoundError') return 'nothing'
    throw error
  }
}
