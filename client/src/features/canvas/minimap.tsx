/** A map of the notes around the view at one fiftieth. A press, a drag or the arrow keys move the view. */
import { t } from '@lingui/core/macro'
import { type KeyboardEvent, type PointerEvent, useEffect, useRef } from 'react'
import type { Point } from '../../stores/canvas'
import { cardsOf } from '../../stores/cards'
import { useApp } from '../actions'
import { GRADIENT_COLOURS, gradientOf } from '../item/appearance'
import type { Board } from './board'
import { centredOn, panned } from './camera'
import { useCanvas } from './canvas-context'
import { commandOf } from './commands'
import type { Box } from './geometry'
import css from './minimap.module.css'
import { fromMap, MAP, mapOrigin, onMap } from './minimap-scale'
import { ACCENT } from './plates'

/** Pixels by which an arrow key moves the view. */
const KEY_STEP = 100

export function Minimap() {
  const { board } = useCanvas()
  const { stores } = useApp()
  const ref = useRef<HTMLCanvasElement>(null)
  // While it is dragged the map does not move, so that the point under the pointer stays there.
  const held = useRef<Point | null>(null)
  useEffect(() => {
    let frame: number | undefined
    const draw = () => {
      frame = undefined
      const ids = cardsOf(stores.items.getState().items).map(({ id }) => id)
      const origin = held.current ?? mapOrigin(board.camera, board.screen)
      const notes: Plate[] = []
      for (const [id, box] of board.boxes(ids, stores.canvas.getState().places)) {
        const plate = onMap(box, origin)
        if (isOnMap(plate)) notes.push({ ...plate, colour: GRADIENT_COLOURS[gradientOf(id)] ?? ACCENT })
      }
      if (ref.current) drawMap(ref.current, notes, onMap(board.view, origin))
    }
    const later = () => {
      frame ??= requestAnimationFrame(draw)
    }
    draw()
    const ends = [board.onView(later), stores.items.subscribe(later), stores.canvas.subscribe(later)]
    return () => {
      for (const end of ends) end()
      if (frame !== undefined) cancelAnimationFrame(frame)
    }
  }, [board, stores])
  return (
    <button
      type="button"
      className={css.map}
      aria-label={t`Map of the notes`}
      title={t`Press or drag to go there; arrow keys move the view`}
      {...handlersOf(board, held)}
    >
      <canvas ref={ref} width={MAP.width} height={MAP.height} />
    </button>
  )
}

function handlersOf(board: Board, held: { current: Point | null }) {
  const goTo = ({ currentTarget, clientX, clientY }: PointerEvent) => {
    const box = currentTarget.getBoundingClientRect()
    if (held.current) {
      const at = fromMap({ x: clientX - box.x, y: clientY - box.y }, held.current)
      board.look(centredOn(board.camera, at, board.screen))
    }
  }
  const end = () => {
    held.current = null
    board.look({ ...board.camera })
  }
  return {
    onPointerDown(event: PointerEvent) {
      if (event.button !== 0) return
      event.currentTarget.setPointerCapture(event.pointerId)
      held.current = mapOrigin(board.camera, board.screen)
      goTo(event)
    },
    onPointerMove: goTo,
    onPointerUp: end,
    onPointerCancel: end,
    onLostPointerCapture: () => held.current && end(),
    onKeyDown(event: KeyboardEvent) {
      const command = commandOf(event)
      if (command?.do !== 'go') return
      event.preventDefault()
      board.look(panned(board.camera, { x: -KEY_STEP * command.to.x, y: -KEY_STEP * command.to.y }))
    },
  }
}

interface Plate extends Box {
  readonly colour: string
}

function isOnMap({ x, y, width, height }: Box): boolean {
  return x < MAP.width && y < MAP.height && x + width > 0 && y + height > 0
}

function drawMap(canvas: HTMLCanvasElement, notes: readonly Plate[], view: Box): void {
  const ratio = window.devicePixelRatio
  if (canvas.width !== MAP.width * ratio) {
    canvas.width = MAP.width * ratio
    canvas.height = MAP.height * ratio
  }
  const pen = canvas.getContext('2d')
  if (!pen) return
  pen.setTransform(ratio, 0, 0, ratio, 0, 0)
  pen.clearRect(0, 0, MAP.width, MAP.height)
  for (const { x, y, width, height, colour } of notes) {
    pen.fillStyle = colour
    // At least two pixels, because a note is only about five pixels wide here.
    pen.fillRect(x, y, Math.max(2, width), Math.max(2, height))
  }
  pen.strokeStyle = ACCENT
  pen.lineWidth = 1.5
  pen.beginPath()
  pen.roundRect(view.x, view.y, view.width, view.height, 2)
  pen.stroke()
}
