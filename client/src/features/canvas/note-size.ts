/** The sizes of notes, measured or expected before they are drawn. */
import { copyableText } from '../../protocol/item'
import type { CardContent } from '../../stores/cards'

export const NOTE_WIDTH = 256
/** Height in px until a better one is known. */
export const ASSUMED_HEIGHT = 200

const LETTERS_A_LINE = 28
const LINE = 22
const MOST_LINES = 12
const FRAME = 58
const SHOW_ALL = 32
/** Of a picture or a video once it has loaded, with its name below. */
const PICTURE = 250
const BATCH = 330

/**
 * Returns the height to leave free for a note. `measured` is its present height, or 0 before it is drawn; pictures are
 * drawn before they have loaded.
 */
export function expectedHeight(content: CardContent, measured: number): number {
  if (content.kind === 'file' && (content.category === 'image' || content.category === 'video'))
    return Math.max(measured, PICTURE)
  if (measured > 0) return measured
  if (content.kind === 'batch') return BATCH
  if (content.kind === 'file' || content.kind === 'link') return ASSUMED_HEIGHT
  return Math.max(ASSUMED_HEIGHT, textHeight(copyableText(content) ?? ''))
}

function textHeight(text: string): number {
  const lines = text
    .slice(0, LETTERS_A_LINE * MOST_LINES)
    .split('\n')
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / LETTERS_A_LINE)), 0)
  return lines > MOST_LINES - 1 ? FRAME + LINE * MOST_LINES + SHOW_ALL : FRAME + LINE * lines
}
