/** The keyboard commands of the canvas. */
import type { Point } from '../../stores/canvas'

export type Command =
  | { readonly do: 'move'; readonly by: Point }
  | { readonly do: 'copy' | 'delete' | 'clear' | 'select-all' | 'undo' | 'redo' }
  | { readonly do: 'zoom'; readonly in: boolean }
  | { readonly do: 'full-size' }

export interface Key {
  readonly key: string
  readonly shiftKey: boolean
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
}

export const STEP = 10
/** Step with Shift: one square of the grid. */
export const LONG_STEP = 50

const ARROWS: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
}

export function commandOf(key: Key): Command | null {
  if (key.altKey) return null
  return key.ctrlKey || key.metaKey ? withControl(key) : alone(key)
}

function withControl({ key, shiftKey }: Key): Command | null {
  switch (key.toLowerCase()) {
    case 'a':
      return { do: 'select-all' }
    case 'c':
      return { do: 'copy' }
    case 'z':
      return { do: shiftKey ? 'redo' : 'undo' }
    case 'y':
      return { do: 'redo' }
    default:
      return null
  }
}

function alone({ key, shiftKey }: Key): Command | null {
  const arrow = ARROWS[key]
  if (arrow) {
    const step = shiftKey ? LONG_STEP : STEP
    return { do: 'move', by: { x: arrow.x * step, y: arrow.y * step } }
  }
  switch (key) {
    case 'Delete':
    case 'Backspace':
      return { do: 'delete' }
    case 'Escape':
      return { do: 'clear' }
    case '+':
    case '=':
      return { do: 'zoom', in: true }
    case '-':
      return { do: 'zoom', in: false }
    case '0':
      return { do: 'full-size' }
    default:
      return null
  }
}
