/** Files that a page can find again after a reload, as those of Chromium's picker. */
import { createHash } from 'node:crypto'
import type { TestFile } from './files.ts'

/** The picker of Chromium, which no tool can drive, gives a file of the browser's own disk. Runs in the page. */
export function picksFromOwnDisk([name, size]: readonly [string, number]): void {
  const open = async () => {
    const handle = await (await navigator.storage.getDirectory()).getFileHandle(name, { create: true })
    if ((await handle.getFile()).size === size) return [handle]
    const stream = await handle.createWritable()
    for (let at = 0; at < size; at += 1_000_000) await stream.write(new Uint8Array(1_000_000).fill(at % 251))
    await stream.close()
    return [handle]
  }
  Object.assign(window, { showOpenFilePicker: open })
}

/** Describes that file. */
export function ownDiskFilm(name: string, size: number): TestFile {
  const hash = createHash('sha256')
  for (let at = 0; at < size; at += 1_000_000) hash.update(new Uint8Array(1_000_000).fill(at % 251))
  return { name, size, path: '', sha256: hash.digest('hex') }
}

/** The browser wants the person to allow it again after a reload. Runs in the page. */
export function asksAfterReload(): void {
  let state = 'prompt'
  const { prototype } = FileSystemFileHandle
  const allow = async () => {
    state = 'granted'
    return state
  }
  Object.assign(prototype, { queryPermission: async () => state, requestPermission: allow })
}
