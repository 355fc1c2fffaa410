/** Paints notes that are not elements as coloured plates: at a small zoom, and until they are drawn. */
import { useEffect, useRef } from 'react'
import type { ItemId } from '../../protocol/bindings'
import { cardsOf } from '../../stores/cards'
import { isSetAside, type SearchState } from '../../stores/search'
import { useApp } from '../actions'
import { GRADIENT_COLOURS, gradientOf } from '../item/appearance'
import type { Board } from './board'
import { toScreen } from './camera'
import css from './canvas.module.css'
import { type CanvasValue, useCanvas } from './canvas-context'
import { type Box, touches } from './geometry'

const RADIUS = 16
/** Opacity of a note while something else is looked for, as in the style sheet. */
const DIMMED = 0.22
/** The accent colour of both themes. A canvas cannot use the variables of the style sheet. */
export const ACCENT = '#7f5af0'

export function Plates() {
  const context = useCanvas()
  const { canvas, items, search } = useApp().stores
  const ref = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const { board, view } = context
    let frame: number | undefined
    let isBlank = true
    const paint = () => {
      frame = undefined
      const { places, selected } = canvas.getState()
      const plates = undrawnIn(context, cardsOf(items.getState().items), places)
      // Usually there are no plates, and nothing to clear.
      if (!ref.current || (isBlank && plates.length === 0)) return
      isBlank = plates.length === 0
      plates.sort(([a], [b]) => (places.get(a)?.z ?? 0) - (places.get(b)?.z ?? 0))
      paintPlates(ref.current, board, plates, { selected, search: search.getState() })
    }
    const later = () => {
      frame ??= requestAnimationFrame(paint)
    }
    later()
    const ends = [
      board.onView(later),
      canvas.subscribe(later),
      items.subscribe(later),
      view.subscribe(later),
      search.subscribe(later),
    ]
    return () => {
      for (const end of ends) end()
      if (frame !== undefined) cancelAnimationFrame(frame)
    }
  }, [context, canvas, items, search])
  return <canvas ref={ref} className={css.plates} />
}

/** Returns the notes in view that are not drawn. */
export function undrawnIn(
  { board, view }: CanvasValue,
  cards: readonly { readonly id: ItemId }[],
  places: Parameters<Board['boxes']>[1],
): (readonly [ItemId, Box])[] {
  const { drawn } = view.getState()
  const ids = cards.flatMap(({ id }) => (drawn.has(id) ? [] : [id]))
  return [...board.boxes(ids, places)].filter(([, box]) => touches(box, board.view))
}

function paintPlates(
  canvas: HTMLCanvasElement,
  { camera, screen }: Board,
  plates: readonly (readonly [ItemId, Box])[],
  { selected, search }: { selected: ReadonlySet<ItemId>; search: SearchState },
): void {
  const ratio = window.devicePixelRatio
  const width = Math.round(screen.width * ratio)
  const height = Math.round(screen.height * ratio)
  if (canvas.width !== width) canvas.width = width
  if (canvas.height !== height) canvas.height = height
  const pen = canvas.getContext('2d')
  if (!pen) return
  pen.setTransform(ratio, 0, 0, ratio, 0, 0)
  pen.clearRect(0, 0, screen.width, screen.height)
  pen.strokeStyle = ACCENT
  pen.lineWidth = 3
  for (const [id, box] of plates) {
    const { x, y } = toScreen(camera, box)
    pen.fillStyle = GRADIENT_COLOURS[gradientOf(id)] ?? ACCENT
    pen.globalAlpha = isSetAside(search, id) ? DIMMED : 1
    pen.beginPath()
    pen.roundRect(x, y, box.width * camera.zoom, box.height * camera.zoom, RADIUS * camera.zoom)
    pen.fill()
    if (selected.has(id)) pen.stroke()
  }
}
