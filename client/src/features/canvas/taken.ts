/** A spatial index of the taken room: boxes sorted into large cells. */
import { type Box, grown, touches } from './geometry'

/** Side of a cell in px: a little more than a note, so that most notes lie in few cells. */
const CELL = 512

export class Taken {
  readonly #cells = new Map<string, Box[]>()

  constructor(boxes: Iterable<Box> = []) {
    for (const box of boxes) this.add(box)
  }

  add(box: Box): void {
    for (const key of cellsOf(box)) {
      const cell = this.#cells.get(key)
      if (cell) cell.push(box)
      else this.#cells.set(key, [box])
    }
  }

  /** Returns the boxes that overlap `box` or are less than `gap` away. */
  near(box: Box, gap: number): Box[] {
    const found = new Set<Box>()
    for (const key of cellsOf(grown(box, gap))) {
      for (const other of this.#cells.get(key) ?? []) if (touches(box, other, gap)) found.add(other)
    }
    return [...found]
  }
}

function* cellsOf({ x, y, width, height }: Box): Generator<string> {
  for (let row = Math.floor(y / CELL); row <= Math.floor((y + height) / CELL); row += 1) {
    for (let column = Math.floor(x / CELL); column <= Math.floor((x + width) / CELL); column += 1) {
      yield `${column} ${row}`
    }
  }
}
