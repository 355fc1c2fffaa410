/** Writes files into a folder that the person picks (File System Access). Only Chromium on desktops has it. */
import { numbered } from '../protocol/manifest'

/** The part of a picked folder that is used here. */
export type SaveFolder = Pick<FileSystemDirectoryHandle, 'getFileHandle' | 'removeEntry'> & {
  getDirectoryHandle(name: string, options: { create: true }): Promise<SaveFolder>
}

/** Chromium's folder picker, which the DOM types lack (File System Access, section 3.3). */
interface FolderPicker {
  showDirectoryPicker(options: { mode: 'readwrite' }): Promise<FileSystemDirectoryHandle>
}

export function canPickFolder(): boolean {
  return hasPicker(globalThis)
}

function hasPicker(scope: object): scope is FolderPicker {
  return 'showDirectoryPicker' in scope
}

/** Asks the person for a folder. Returns null when they closed the picker, or the browser refused the folder. */
export async function pickFolder(): Promise<SaveFolder | null> {
  const scope: object = globalThis
  if (!hasPicker(scope)) return null
  try {
    return await scope.showDirectoryPicker({ mode: 'readwrite' })
  } catch {
    return null
  }
}

/** Writes a file under a path within a folder, whose folders are made where they are missing. */
export async function saveUnder(
  folder: SaveFolder,
  path: string,
  bytes: ReadableStream,
  signal: AbortSignal,
): Promise<void> {
  const parts = path.split('/')
  const name = parts.pop() ?? ''
  let at = folder
  for (const part of parts) at = await at.getDirectoryHandle(allowedName(part), { create: true })
  await saveInto(at, name, bytes, signal)
}

/** Writes a file under its name, or under a numbered one: what is in the folder already stays. */
export async function saveInto(
  folder: SaveFolder,
  name: string,
  bytes: ReadableStream,
  signal?: AbortSignal,
): Promise<void> {
  const free = await freeName(folder, allowedName(name))
  const handle = await folder.getFileHandle(free, { create: true })
  try {
    // The bytes go into a hidden file until they are all there.
    await bytes.pipeTo(await handle.createWritable(), signal && { signal })
  } catch (error) {
    // Without its bytes, the new file is an empty one.
    await folder.removeEntry(free).catch(() => {})
    throw error
  }
}

// What Windows refuses in names; Chromium refuses it everywhere.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are among it.
const REFUSED = /[\u0000-\u001f\u007f"*/:<>?\\|]|[. ]+$/g

/** `a:b.txt` becomes `a_b.txt`. */
function allowedName(name: string): string {
  return name.replace(REFUSED, '_') || '_'
}

async function freeName(folder: SaveFolder, name: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : numbered(name, number)
    if (!(await isTaken(folder, candidate))) return candidate
  }
}

/** Rejects when the browser refuses the name or the folder: then every other name would be refused as well. */
async function isTaken(folder: SaveFolder, name: string): Promise<boolean> {
  try {
    await folder.getFileHandle(name)
    return true
  } catch (error) {
    if (!(error instanceof DOMException)) throw error
    // A folder has that name.
    if (error.name === 'TypeMismatchError') return true
    if (error.name === 'NotFoundError') return false
    throw error
  }
}
