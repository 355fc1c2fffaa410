/** The folder into which this device saves what it receives, for later pages (File System Access, Chromium on desktops). */
import { Table } from './table'

export class SavePlace {
  readonly #table = new Table<'folder', FileSystemDirectoryHandle>('save-place', 'folders')

  /** Returns the folder's name; null when none is kept. It is not asked whether it is still there. */
  async name(): Promise<string | null> {
    return (await this.#table.read('folder'))?.name ?? null
  }

  /** @throws when the browser cannot keep it */
  async keep(folder: FileSystemDirectoryHandle): Promise<void> {
    await this.#table.write('folder', folder)
  }

  /** @throws when the browser refuses it: the folder may still be kept */
  async forget(): Promise<void> {
    await this.#table.remove('folder')
  }

  /**
   * Opens the folder. Must be called while a press is handled: the browser may ask the person once for each visit.
   * `gone`: none is kept, or it was removed or renamed. `refused`: the person or the browser does not allow it now.
   */
  async open(): Promise<FileSystemDirectoryHandle | 'gone' | 'refused'> {
    try {
      const folder = await this.#table.read('folder')
      if (!folder) return 'gone'
      const state = (await folder.requestPermission?.({ mode: 'readwrite' })) ?? 'granted'
      if (state !== 'granted') return 'refused'
      // One that was removed or renamed is known only by looking into it.
      await folder.keys().next()
      return folder
    } catch (error) {
      return error instanceof DOMException && error.name === 'NotFoundError' ? 'gone' : 'refused'
    }
  }
}
