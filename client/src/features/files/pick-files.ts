/** The picker of Chromium, which says where the files lie, so that a later page can read them (File System Access, 3.3). */
import type { DroppedFiles } from './dropped'
import { readPlaced } from './placed'

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
export async function pickFiles(multiple: boolean): Promise<DroppedFiles | null> {
  const scope: object = globalThis
  if (!hasPicker(scope)) throw new Error('There is no such picker.')
  try {
    return await readPlaced(await scope.showOpenFilePicker({ multiple }))
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return null
    throw error
  }
}

function hasPicker(scope: object): scope is OpenPicker {
  return 'showOpenFilePicker' in scope
}
