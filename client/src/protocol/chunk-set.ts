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
    // An even number of edges before it means that the start lies outside the ranges.
    for (let edge = upperBound(this.#edges, start); ; edge++) {
      const to = Math.min(this.#edges[edge] ?? end, end)
      const isWithin = edge % 2 === 1
      if (to > at && isWithin === inside) parts.push({ first: at, count: to - at })
      if (to >= end) return parts
      at = to
    }
  }

  /** Counts the chunks from `start` to `end`, between which the edges `from` to `to` lie. */
  #sizeWithin(start: number, end: number, from: number, to: number): number {
    let size = 0
    let at = start
    for (let edge = from; edge < to; edge++) {
      const next = Math.min(Math.max(this.#edges[edge] ?? end, start), end)
      if (edge % 2 === 1) size += next - at
      at = next
    }
    return to % 2 === 1 ? size + end - at : size
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
    const had = this.#sizeWithin(start, end, from, to)
    edges.splice(from, to - from, ...seam)
    this.#size += (present ? end - start : 0) - had
  }
}

/** Returns the place of the first edge that is not below a value. */
function lowerBound(edges: readonly number[], value: number): number {
  let [from, to] = [0, edges.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((edges[middle] ?? 0) < value) from = middle + 1
    else to = middle
  }
  return from
}

/** Returns the place of the first edge that is above a value. */
function upperBound(edges: readonly number[], value: number): number {
  return lowerBound(edges, value + 1)
}
