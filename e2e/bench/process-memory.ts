/** The memory of a whole browser: of every process that descends from the one that was started. Linux only. */
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

const SAMPLE_EVERY_MS = 100

/** The process that was started with this profile. */
export async function browserProcess(profile: string): Promise<number> {
  for (const pid of await processes()) {
    const words = (await read(`/proc/${pid}/cmdline`)).split('\0')
    const isBrowser =
      words.includes(`--user-data-dir=${profile}`) && !words.some((word) => word.startsWith('--type='))
    if (isBrowser) return pid
  }
  throw new Error(`no browser with ${profile}`)
}

/** Bytes now. Pages that several processes share count once (PSS). */
export async function treeBytes(root: number): Promise<number> {
  const parents = new Map<number, number>()
  for (const pid of await processes()) {
    const stat = await read(`/proc/${pid}/stat`)
    // The name may contain anything; what is behind its bracket does not.
    parents.set(pid, Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
  }
  let bytes = 0
  for (const pid of parents.keys()) if (descends(pid, root, parents)) bytes += await ownBytes(pid)
  return bytes
}

/** Samples until told to stop; then answers the most that was seen. */
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

/** Empty when the process ended meanwhile. */
async function read(path: string): Promise<string> {
  return await readFile(path, 'utf8').catch(() => '')
}
