/** Finds which file of an item that is many (F16) can no longer be read, since the engine knows the item as one file. */

import { GLANCE_WITHIN_MS, within } from '../transport/within'

export interface Part {
  readonly path: string
  readonly file: Blob
}

/** Files that are asked for at once. Each takes the browser up to half a millisecond. */
const AT_ONCE = 32

const parts = new WeakMap<Blob, readonly Part[]>()

/** Notes of which files a pack is made. */
export function notePartsOf(pack: Blob, files: readonly Part[]): void {
  parts.set(pack, files)
}

/** Whether a blob is a pack that was made here. */
export function isPacked(pack: Blob): boolean {
  return parts.has(pack)
}

/** Returns the path of the first file that was moved or changed since it was packed; null when all can be read. */
export async function changedIn(pack: Blob): Promise<string | null> {
  const all = parts.get(pack) ?? []
  for (let first = 0; first < all.length; first += AT_ONCE) {
    const some = all.slice(first, first + AT_ONCE)
    const read = await Promise.all(some.map(({ file }) => isReadable(file)))
    const bad = some[read.indexOf(false)]
    if (bad) return bad.path
  }
  return null
}

/** Its last byte tells: Chromium and Safari refuse to read a file that has changed, and Firefox one that is shorter. */
async function isReadable(file: Blob): Promise<boolean> {
  const last = Math.max(0, file.size - 1)
  return within(GLANCE_WITHIN_MS, file.slice(last).arrayBuffer()).then(
    ({ byteLength }) => byteLength === file.size - last,
    () => false,
  )
}
