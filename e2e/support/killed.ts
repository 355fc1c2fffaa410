/** Kills a browser, as a power cut or the memory manager of the system does. Linux only. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { browserProcess, descendants } from '../bench/process-memory.ts'
import type { Device } from './device.ts'

/** Kills every process of the browser that has this profile, none of which can say or write anything more. */
export async function isKilled({ context }: Device, profile: string): Promise<void> {
  const closed = context.waitForEvent('close')
  for (const pid of await descendants(await browserProcess(profile))) kill(pid)
  await closed
}

/**
 * Waits until the name of this tab is on the disk, which Chromium writes some seconds later: a browser that is killed
 * before that forgets which device it was.
 */
export async function isOnDisk({ page }: Device, profile: string): Promise<void> {
  const name = await page.evaluate(() => sessionStorage.getItem('tab'))
  const folder = join(profile, 'Default/Local Storage/leveldb')
  const isThere = async () => {
    const logs = (await readdir(folder).catch(() => [])).filter((file) => file.endsWith('.log'))
    const texts = await Promise.all(logs.map((file) => readFile(join(folder, file), 'latin1')))
    return texts.some((text) => text.includes(`tab ${name}`))
  }
  await expect.poll(isThere, { timeout: 30_000 }).toBe(true)
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    // It ended together with one that was killed before.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
