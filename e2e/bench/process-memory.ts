/** The memory of a whole browser: of all processes that descend from the started one. Linux only. */
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

const SAMPLE_EVERY_MS = 100

/** Returns the id of the process that was started with this profile. */
export async function browserProcess(profile: string): Promise<number> {
  for (const pid of await processes()) {
    const words = (await read(`/proc/${pid}/cmdline`)).split('\0')
    const isBrowser =
      words.includes(`--user-data-dir=${profile}`) && !words.some((word) => word.startsWith('--type='))
    if (isBrowser) return pid
  }
  throw new Error(`no browser with ${profile}`)
}

/** Returns the bytes used now. Pages shared by several processes count once (PSS). */
export async function treeBytes(root: number): Promise<number> {
  let bytes = 0
  for (const pid of await descendants(root)) bytes += await ownBytes(pid)
  return bytes
}

/** Returns the process and all that descend from it. */
export async function descendants(root: number): Promise<number[]> {
  const parents = new Map<number, number>()
  for (const pid of await processes()) {
    const stat = await read(`/proc/${pid}/stat`)
    // The process name may contain anything, so the fields are read behind its last bracket.
    parents.set(pid, Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
  }
  return [...parents.keys()].filter((pid) => descends(pid, root, parents))
}

/** Samples the memory until stopped, and then returns the maximum. */
export function watchPeak(root: number): { stop: () => Promise<number> } {
  let going = true
  const watching = (async () => {
    let peak = 0
    while (going) {
      peak = Math.max(peak, await treeBytes(root))
      await pause(SAMPLE_EVERY_MS)
    }
    return peak
  })()
  return {
    stop: () => {
      going = false
      return watching
    },
  }
}

function descends(pid: number, root: number, parents: Map<number, number>): boolean {
  for (let at: number | undefined = pid; at; at = parents.get(at)) if (at === root) return true
  return false
}

async function ownBytes(pid: number): Promise<number> {
  const pss = /^Pss:\s+(\d+) kB/m.exec(await read(`/proc/${pid}/smaps_rollup`))
  return Number(pss?.[1] ?? 0) * 1024
}

async function processes(): Promise<number[]> {
  return (await readdir('/proc')).map(Number).filter((pid) => pid > 0)
}

/** Returns an empty text when the process has ended. */
async function read(path: string): Promise<string> {
  return await readFile(path, 'utf8').catch(() => '')
}
