/** The browser's locks (Web Locks), for tests: Node has none. */
import { vi } from 'vitest'

interface Wanted {
  readonly ifAvailable?: boolean
}

type Work = (lock: object | null) => unknown

/** Gives the page locks, beside what else its navigator has. */
export function hasLocks(navigator: object = {}): void {
  const held = new Map<string, Promise<unknown>>()
  const request = async (name: string, ...rest: [Work] | [Wanted, Work]) => {
    const [options, work] = rest.length === 1 ? [{}, rest[0]] : rest
    const before = held.get(name)
    if (before && options.ifAvailable) return work(null)
    const turn = (async () => {
      await before?.catch(() => {})
      return work({ name })
    })()
    held.set(name, turn)
    return turn.finally(() => held.get(name) === turn && held.delete(name))
  }
  vi.stubGlobal('navigator', { ...navigator, locks: { request } })
}
