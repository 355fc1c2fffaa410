/** Makes the paths of files and folders as they are found on a disk into those of a manifest (F16). */
import { above, addAbove, lastPart, MAX_DEPTH, MAX_PATH_LENGTH } from './manifest'
import { displayName, numbered } from './names'

export interface PackPaths {
  /** One for each file, in their order. */
  readonly files: readonly string[]
  /** The folders without files, each once. */
  readonly folders: readonly string[]
}

/** Room for the number of one path among equal ones, in UTF-16 units. */
const NUMBER_LENGTH = 8

/**
 * Returns paths whose parts are safe. Of files that are equal then, or equal to a folder, the later ones get a number:
 * `a.txt`, `a (2).txt`.
 */
export function packPaths(files: readonly string[], folders: readonly string[] = []): PackPaths {
  const clean = files.map(safePath)
  const empty = new Set(folders.map(safePath))
  const taken = new Set(empty)
  for (const path of [...clean, ...empty]) addAbove(path, taken)
  const free = numbering(taken)
  return { files: clean.map(free), folders: [...empty] }
}

/**
 * Returns a function that makes each path one that was not taken before.
 * @param keyOf what two paths have in common of which a disk has room for one
 */
export function numbering(
  taken: Set<string>,
  keyOf: (path: string) => string = (path) => path,
): (path: string) => string {
  const numbers = new Map<string, number>()
  return (clean) => {
    let path = clean
    const known = keyOf(clean)
    // Continues where the last equal name ended, so that ten thousand equal names are numbered at once.
    let number = numbers.get(known) ?? 1
    while (taken.has(keyOf(path))) path = beside(clean, numbered(lastPart(clean), ++number))
    numbers.set(known, number)
    taken.add(keyOf(path))
    return path
  }
}

/** Returns the path of another name in the folder of a path. */
function beside(path: string, name: string): string {
  const folder = above(path)
  return folder === '' ? name : `${folder}/${name}`
}

function safePath(path: string): string {
  const parts = path.split('/').map(displayName)
  // What lies too deep moves up, next to the first folder that has room for it: a name is worth more than its place.
  while (parts.length > MAX_DEPTH || lengthOf(parts) > MAX_PATH_LENGTH - NUMBER_LENGTH) parts.splice(-2, 1)
  return parts.join('/')
}

function lengthOf(parts: readonly string[]): number {
  return parts.reduce((sum, { length }) => sum + length + 1, -1)
}
