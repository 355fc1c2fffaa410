/** The order in which notes are read and walked by Tab: in lines from the top, each from the left. */
import type { Point } from '../../stores/canvas'

/** Notes whose upper edges are at most this far apart are on one line, in px. */
const LINE_HEIGHT = 100

export function readingOrder<Id>(places: Iterable<readonly [Id, Point]>): Id[] {
  const fromTop = [...places].sort(([, a], [, b]) => a.y - b.y)
  const lines: { top: number; notes: (readonly [Id, Point])[] }[] = []
  for (const note of fromTop) {
    const line = lines.at(-1)
    if (line && note[1].y - line.top < LINE_HEIGHT) line.notes.push(note)
    else lines.push({ top: note[1].y, notes: [note] })
  }
  return lines.flatMap(({ notes }) => notes.sort(([, a], [, b]) => a.x - b.x).map(([id]) => id))
}
