/** The processor's time of each thread of a whole browser. Linux only. */
import { readdir, readFile } from 'node:fs/promises'
import { descendants } from './process-memory.ts'

/** Ticks in a second in `/proc` (`USER_HZ`, proc(5)), which is 100 on every platform that browsers run on. */
const TICKS = 100

/** Returns the seconds that each thread has used so far, with the threads of equal names added up. */
export async function threadSeconds(root: number): Promise<Map<string, number>> {
  const seconds = new Map<string, number>()
  for (const pid of await descendants(root)) {
    for (const thread of await readdir(`/proc/${pid}/task`).catch(() => [])) {
      const stat = await readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8').catch(() => '')
      if (!stat) continue
      const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      const used = (Number(fields[11]) + Number(fields[12])) / TICKS
      seconds.set(name, (seconds.get(name) ?? 0) + used)
    }
  }
  return seconds
}

/** Returns what was used in between, most first, as `name 1.2 s`. What used less than a twentieth is left out. */
export function usedBetween(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): string {
  const used = [...after].map(([name, seconds]) => ({ name, seconds: seconds - (before.get(name) ?? 0) }))
  const all = used.reduce((sum, { seconds }) => sum + seconds, 0)
  const most = used.filter(({ seconds }) => seconds > all / 20).toSorted((a, b) => b.seconds - a.seconds)
  const list = most.map(({ name, seconds }) => `${name} ${seconds.toFixed(1)} s`).join(', ')
  return `${all.toFixed(1)} s: ${list}`
}
