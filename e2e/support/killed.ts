/** Kills a browser, as a power cut or the memory manager of the system does. Linux only. */
import { browserProcess, descendants } from '../bench/process-memory.ts'
import type { Device } from './device.ts'

/** Kills every process of the browser that has this profile, none of which can say or write anything more. */
export async function isKilled({ context }: Device, profile: string): Promise<void> {
  const closed = context.waitForEvent('close')
  for (const pid of await descendants(await browserProcess(profile))) kill(pid)
  await closed
}

/** Returns what the browser keeps of a tab, to give it back to it after a crash. */
export async function tabOf({ page }: Device): Promise<Tab> {
  return await page.evaluate(() => Object.entries(sessionStorage))
}

/** Gives a tab back to a browser, as Chromium does when its person presses Restore. Without a window it has no such button. */
export async function restoresTab({ page }: Device, tab: Tab): Promise<void> {
  await page.addInitScript((entries) => {
    for (const [key, value] of entries) sessionStorage.setItem(key, value)
  }, tab)
}

type Tab = [string, string][]

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    // It ended together with one that was killed before.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
