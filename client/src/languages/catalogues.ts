/** Loads catalogues, each from a file of its own. */
import type { Messages } from '@lingui/core'
import { loadable } from '../ui/lazy-part'

type Files = Readonly<Record<string, () => Promise<Messages>>>

/**
 * Returns a function that loads the catalogue of a language, and loads it anew after a failure.
 *
 * @param files as `import.meta.glob` returns them, by their paths
 */
export function catalogues(files: Files): (code: string) => Promise<Messages> {
  const loads = new Map(Object.entries(files).map(([path, load]) => [path.split('/').at(-1), loadable(load)]))
  return async (code) => {
    const load = loads.get(`${code}.po`)
    if (!load) throw new Error(`There is no catalogue for ${code}`)
    return load()
  }
}
