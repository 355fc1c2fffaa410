/** Notes in view that are no elements now, as coloured plates: from far away, and for the moment until they are drawn. */
import { useEffect, useRef } from 'react'
import type { ItemId } from '../../protocol/bindings'
import { useHouse } from '../actions'
import { gradientOf } from '../item/appearance'
import type { Board } from './board'
import { toScreen } from './camera'
import css from './canvas.module.css'
import { type Desk, useDesk } from './canvas-context'
import { type Box, touches } from './geometry'
import { ACCENT, PLATE_COLOURS } from './plate-colours'

const RADIUS = 16

export function Plates() {
  const desk = useDesk()
  const { canvas, items } = useHouse().stores
  const ref = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const { board, view } = desk
    let frame: number | undefined
    let isBlank = true
    const paint = () => {
      frame = undefined
      const { places, selected } = canvas.getState()
      const plates = undrawnIn(desk, items.getState().items, places)
      // Most of the time there are none, and nothing to wipe away.
      if (!ref.current || (isBlank && plates.length === 0)) return
      isBlank = plates.length === 0
      plates.sort(([a], [b]) => (places.get(a)?.z ?? 0) - (places.get(b)?.z ?? 0))
      paintPlates(ref.current, board, plates, selected)
    }
    const later = () => {
      frame ??= requestAnimationFrame(paint)
    }
    later()
    const ends = [board.onView(later), canvas.subscribe(later), items.subscribe(later), view.subscribe(later)]
    return () => {
      for (const end of ends) end()
      if (frame !== undefined) cancelAnimationFrame(frame)
    }
  }, [desk, canvas, items])
  return <canvas ref={ref} className={css.plates} />
}

/** The notes in view that are not drawn. */
export function undrawnIn(
  { board, view }: Desk,
  items: readonly { readonly id: ItemId }[],
  places: Parameters<Board['boxes']>[1],
): (readonly [ItemId, Box])[] {
  const { drawn } = view.getState()
  const ids = items.flatMap(({ id }) => (drawn.has(id) ? [] : [id]))
  return [...board.boxes(ids, places)].filter(([, box]) => touches(box, board.view))
}

function paintPlates(
  canvas: HTMLCanvasElement,
  { camera, screen }: Board,
  plates: readonly (readonly [ItemId, Box])[],
  selected: ReadonlySet<ItemId>,
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
    pen.fillStyle = PLATE_COLOURS[gradientOf(id)] ?? ACCENT
    pen.beginPath()
    pen.roundRect(x, y, box.width * camera.zoom, box.height * camera.zoom, RADIUS * camera.zoom)
    pen.fill()
    if (selected.has(id)) pen.stroke()
  }
}
