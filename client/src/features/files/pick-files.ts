/** The picker of Chromium, which says where the files lie, so that a later page can read them (File System Access, 3.3). */
import type { DroppedFiles } from './dropped'

interface OpenPicker {
  showOpenFilePicker(options: { multiple: boolean }): Promise<FileSystemFileHandle[]>
}

export function canPickFiles(): boolean {
  return hasPicker(globalThis)
}

/**
 * Asks for files. Must be called while a press is handled. Returns null when the person closed the picker.
 * @throws where the browser does not open it, as in a frame of another site
 */
export async function pickFiles(): Promise<DroppedFiles | null> {
  const scope: object = globalThis
  if (!hasPicker(scope)) throw new Error('There is no such picker.')
  try {
    return await filesOf(await scope.showOpenFilePicker({ multiple: true }))
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return null
    throw error
  }
}

async function filesOf(picked: readonly FileSystemFileHandle[]): Promise<DroppedFiles> {
  const unreadable: string[] = []
  const read = picked.map(async (handle) => {
    try {
      return [[await handle.getFile(), handle]] as const
    } catch {
      unreadable.push(handle.name)
      return []
    }
  })
  const handles = (await Promise.all(read)).flat()
  return { files: handles.map(([file]) => file), folders: [], handles, unreadable }
}

function hasPicker(scope: object): scope is OpenPicker {
  return 'showOpenFilePicker' in scope
}
