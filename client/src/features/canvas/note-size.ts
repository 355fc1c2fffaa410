/** The sizes of notes, measured or expected before they are drawn. */
import { copyableText } from '../../protocol/item'
import type { CardContent } from '../../stores/cards'
import type { Size } from './geometry'

export const NOTE_WIDTH = 256
/** Height in px until a better one is known. */
export const ASSUMED_HEIGHT = 200

/** Returns the smallest size expected for a note of this content, to leave room for it. */
export function expectedSize(content: CardContent): Size {
  return { width: NOTE_WIDTH, height: Math.max(ASSUMED_HEIGHT, expectedHeight(content)) }
}

const LETTERS_A_LINE = 30
const LINE = 22
const MOST_LINES = 12
const FRAME = 58
const PICTURE = 250
const BATCH = 330

function expectedHeight(content: CardContent): number {
  if (content.kind === 'batch') return BATCH
  if (content.kind === 'link') return ASSUMED_HEIGHT
  if (content.kind === 'file') {
    return content.category === 'image' || content.category === 'video' ? PICTURE : ASSUMED_HEIGHT
  }
  const text = copyableText(content) ?? ''
  const lines = text
    .slice(0, LETTERS_A_LINE * MOST_LINES)
    .split('\n')
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / LETTERS_A_LINE)), 0)
  return FRAME + LINE * Math.min(MOST_LINES, lines)
}
