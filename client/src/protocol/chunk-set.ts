/**
 * A set of chunk numbers, stored as sorted, disjoint, half-open ranges: even for a file of terabytes it stays small.
 */

/** The chunks `first`, …, `first + count - 1`. */
export interface ChunkRange {
  readonly first: number
  readonly count: number
}

export class ChunkSet {
  /** Pairs of start and end, flat and ascending. */
  #edges: number[] = []
  #size = 0

  /** Number of chunks in the set. */
  get size(): number {
    return this.#size
  }

  /** Number of disjoint ranges in the set. */
  get pieces(): number {
    return this.#edges.length / 2
  }

  /** Returns the first chunks of the set: one range of at most `limit`, or null when the set is empty. */
  firstRange(limit: number): ChunkRange | null {
    const [start, end] = this.#edges
    if (start === undefined || end === undefined) return null
    return { first: start, count: Math.min(limit, end - start) }
  }

  add({ first, count }: ChunkRange): void {
    this.#replace(first, first + count, true)
  }

  remove({ first, count }: ChunkRange): void {
    this.#replace(first, first + count, false)
  }

  /** Returns the parts of a range that are in the set, ascending. */
  within({ first, count }: ChunkRange): ChunkRange[] {
    return this.#parts(first, first + count, true)
  }

  /** Returns the parts of a range that are not in the set, ascending. */
  missing({ first, count }: ChunkRange): ChunkRange[] {
    return this.#parts(first, first + count, false)
  }

  /** Returns the first gap below `total`: one range of at most `limit` chunks, or null when there is none. */
  firstGap(total: number, limit: number): ChunkRange | null {
    const startsAtZero = this.#edges[0] === 0
    const start = startsAtZero ? (this.#edges[1] ?? 0) : 0
    const next = (startsAtZero ? this.#edges[2] : this.#edges[0]) ?? total
    const count = Math.min(limit, Math.min(next, total) - start)
    return count > 0 ? { first: start, count } : null
  }

  ranges(): ChunkRange[] {
    return this.#parts(0, Number.POSITIVE_INFINITY, true)
  }

  #parts(start: number, end: number, inside: boolean): ChunkRange[] {
    const parts: ChunkRange[] = []
    let at = start
    let within = false
    for (const edge of [...this.#edges, end]) {
      const to = Math.min(edge, end)
      if (to > at) {
        if (within === inside) parts.push({ first: at, count: to - at })
        at = to
      }
      within = !within
      if (edge >= end) break
    }
    return parts
  }

  #replace(start: number, end: number, present: boolean): void {
    if (end <= start) return
    const edges = this.#edges
    const from = lowerBound(edges, start)
    const to = upperBound(edges, end)
    // An even index lies outside the ranges, an odd one inside a range.
    const before = from % 2 === 1
    const after = to % 2 === 1
    const seam: number[] = []
    if (before !== present) seam.push(start)
    if (after !== present) seam.push(end)
    edges.splice(from, to - from, ...seam)
    this.#size = 0
    for (let i = 0; i < edges.length; i += 2) this.#size += (edges[i + 1] ?? 0) - (edges[i] ?? 0)
  }
}

function lowerBound(edges: readonly number[], value: number): number {
  const at = edges.findIndex((edge) => edge >= value)
  return at === -1 ? edges.length : at
}

function upperBound(edges: readonly number[], value: number): number {
  const at = edges.findIndex((edge) => edge > value)
  return at === -1 ? edges.length : at
}
