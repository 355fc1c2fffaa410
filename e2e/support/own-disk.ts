/** Files that a page can find again after a reload, as those of Chromium's picker. */
import { createHash } from 'node:crypto'
import { expect, type Page } from '@playwright/test'
import type { Device } from './device.ts'
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

/** Shares that file by the picker. */
export async function sharesFromOwnDisk({ page }: Device): Promise<void> {
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Files' }).click()
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
  const { prototype } = FileSystemHandle
  const allow = async () => {
    state = 'granted'
    return state
  }
  Object.assign(prototype, { queryPermission: async () => state, requestPermission: allow })
}

/** Waits until the page has noted where its file lies, without which a reload cannot find it. */
export async function isKeptForLater(page: Page): Promise<void> {
  // A large file is written before.
  await expect.poll(() => notedFiles(page, 'offered'), { timeout: 60_000 }).toBeGreaterThan(0)
}

/** Waits until the page has nothing noted of what it has received, with which a later one would go on. */
export async function hasForgottenReceived(page: Page): Promise<void> {
  await expect.poll(() => notedFiles(page, 'received'), { timeout: 60_000 }).toBe(0)
}

/** Returns how many files are noted in a database of the page. */
async function notedFiles(page: Page, database: 'offered' | 'received'): Promise<number> {
  return await page.evaluate(async (database) => {
    // Opening a database that is not there yet would make an empty one.
    if (!(await indexedDB.databases()).some(({ name }) => name === database)) return 0
    return await new Promise<number>((resolve) => {
      const opening = indexedDB.open(database)
      opening.onsuccess = () => {
        const counting = opening.result.transaction('files').objectStore('files').count()
        counting.onsuccess = () => {
          opening.result.close()
          resolve(counting.result)
        }
      }
    })
  }, database)
}
