/**
 * What is known of the items that are many files (F16) and were packed here: where their bytes are from, and which of their files can
 * no longer be read, since the engine knows the item as one file.
 */

import type { Folder } from '../features/actions'
import { GLANCE_WITHIN_MS, within } from '../transport/within'

export interface Part {
  readonly path: string
  readonly file: Blob
}

interface Packed {
  readonly parts: readonly Part[]
  /** What the person has chosen it from. */
  readonly from: readonly (File | Folder)[]
  /** Its manifest. */
  readonly list: Blob
}

/** Files that are asked for at once. Each takes the browser up to half a millisecond. */
const AT_ONCE = 32

const packs = new WeakMap<Blob, Packed>()

/** Notes what a pack is made of. */
export function notePacked(pack: Blob, packed: Packed): void {
  packs.set(pack, packed)
}

/** Returns what a blob was packed from here; undefined for any other. */
export function packedFrom(pack: Blob): Packed | undefined {
  return packs.get(pack)
}

/** Returns the path of the first file that was moved or changed since it was packed; null when all can be read. */
export async function changedIn(pack: Blob): Promise<string | null> {
  const all = packs.get(pack)?.parts ?? []
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
