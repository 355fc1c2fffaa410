/** The tree of an item that is many files (F16), as rows, and what a person chooses of it. */
import type { Manifest, PlacedFile } from './manifest'
import { lastPart } from './manifest'

/** A row of the tree. Its leaves are the files and empty folders in it, or itself. */
export interface TreeRow {
  readonly path: string
  readonly name: string
  /** 0 at the top. */
  readonly depth: number
  /** Its place among those that are in the same folder, from 1 on, and how many they are. */
  readonly position: number
  readonly siblings: number
  /** The bytes of all files in it. */
  readonly size: number
  /** Absent for a folder. */
  readonly file?: PlacedFile
  /** Its leaves are those from `first` to `end`, without `end`. */
  readonly first: number
  readonly end: number
  /** The row behind it and all that is in it. */
  readonly next: number
}

export interface PackTree {
  /** Each folder before what is in it. */
  readonly rows: readonly TreeRow[]
  readonly leaves: number
}

interface Node {
  readonly path: string
  readonly file?: PlacedFile
  readonly inside: Map<string, Node>
}

/** Builds the tree of a manifest: in each folder the folders first, both by name. */
export function packTree({ files, folders }: Manifest, locale?: string): PackTree {
  const top: Node = { path: '', inside: new Map() }
  for (const path of folders) grow(top, path)
  for (const file of files) grow(top, file.path, file)
  const { compare } = new Intl.Collator(locale, { numeric: true })
  return flattened(top, (one, other) => {
    const isFolder = (node: Node) => (node.file ? 1 : 0)
    return isFolder(one) - isFolder(other) || compare(one.path, other.path)
  })
}

function grow(top: Node, path: string, file?: PlacedFile): void {
  let at = top
  for (let end = path.indexOf('/'); ; end = path.indexOf('/', end + 1)) {
    const part = end < 0 ? path : path.slice(0, end)
    const isLast = end < 0
    const next = at.inside.get(part) ?? {
      path: part,
      inside: new Map<string, Node>(),
      ...(isLast && file && { file }),
    }
    at.inside.set(part, next)
    if (isLast) return
    at = next
  }
}

function flattened(top: Node, order: (one: Node, other: Node) => number): PackTree {
  const rows: TreeRow[] = []
  let leaves = 0
  const add = (node: Node, depth: number): number => {
    let bytes = 0
    const among = [...node.inside.values()].sort(order)
    for (const [index, inner] of among.entries()) {
      const at = rows.length
      const first = leaves
      const { path, file } = inner
      const place = { path, name: lastPart(path), depth, position: index + 1, siblings: among.length }
      const row = { ...place, first, ...(file && { file }) }
      // Its end is known once what is in it was added behind it.
      rows.push({ ...row, size: 0, end: first, next: at })
      const size = file ? file.size : add(inner, depth + 1)
      if (inner.inside.size === 0) leaves += 1
      rows[at] = { ...row, size, end: leaves, next: rows.length }
      bytes += size
    }
    return bytes
  }
  add(top, 0)
  return { rows, leaves }
}

/** Returns the rows to show, as their numbers: none that is in a closed folder. */
export function openRows({ rows }: PackTree, closed: ReadonlySet<string>): readonly number[] {
  const shown: number[] = []
  for (let at = 0; at < rows.length; ) {
    const row = rows[at]
    if (!row) break
    shown.push(at)
    at = closed.has(row.path) ? row.next : at + 1
  }
  return shown
}

/** What is chosen of a tree: 1 for each leaf that is, and how many are before each leaf. */
export class Choice {
  readonly #leaves: Uint8Array
  readonly #before: Uint32Array

  private constructor(leaves: Uint8Array) {
    this.#leaves = leaves
    this.#before = new Uint32Array(leaves.length + 1)
    for (const [at, is] of leaves.entries()) this.#before[at + 1] = (this.#before[at] ?? 0) + is
  }

  static ofAll({ leaves }: PackTree): Choice {
    return new Choice(new Uint8Array(leaves).fill(1))
  }

  /** Returns whether all, some or none of the leaves of a row are chosen. */
  of({ first, end }: Pick<TreeRow, 'first' | 'end'>): 'all' | 'some' | 'none' {
    const count = (this.#before[end] ?? 0) - (this.#before[first] ?? 0)
    if (count === 0) return 'none'
    return count === end - first ? 'all' : 'some'
  }

  /** Chooses the leaves of a row, or none of them where all are chosen. */
  toggled(row: Pick<TreeRow, 'first' | 'end'>): Choice {
    const leaves = this.#leaves.slice()
    leaves.fill(this.of(row) === 'all' ? 0 : 1, row.first, row.end)
    return new Choice(leaves)
  }

  /** Returns the chosen part of a manifest, in its order. */
  partOf({ files, folders }: Manifest, { rows }: PackTree): Manifest {
    const chosen = new Set<string>()
    for (const row of rows) if (row.end - row.first === 1 && this.of(row) === 'all') chosen.add(row.path)
    const is = (path: string) => chosen.has(path)
    return { files: files.filter(({ path }) => is(path)), folders: folders.filter(is) }
  }
}
