/** Where notes stand on the canvas: for now one after the other into the column that has room first. */

export const NOTE_WIDTH = 256
/** Until a note is measured. */
export const ASSUMED_HEIGHT = 200

const GAP = 50
const MARGIN = 84

export interface Placed {
  readonly x: number
  readonly y: number
}

export interface Layout {
  readonly places: readonly Placed[]
  /** Down to the end of the lowest note. */
  readonly height: number
}

/** Places notes of these heights, in order, into a view of this width. A note never moves for one that comes after it. */
export function flow(heights: readonly number[], width: number): Layout {
  const columns = Math.max(1, Math.floor((width - 2 * MARGIN + GAP) / (NOTE_WIDTH + GAP)))
  const inner = Math.max(NOTE_WIDTH, width - 2 * MARGIN)
  const pitch = columns === 1 ? 0 : (inner - NOTE_WIDTH) / (columns - 1)
  const left = columns === 1 ? Math.max(0, (width - NOTE_WIDTH) / 2) : MARGIN
  const ends = Array.from({ length: columns }, () => 0)
  const places = heights.map((height) => {
    const column = ends.indexOf(Math.min(...ends))
    const y = ends[column] ?? 0
    ends[column] = y + height + GAP
    return { x: Math.round(left + column * pitch), y }
  })
  return { places, height: Math.max(0, Math.max(...ends) - GAP) }
}
