/** Shows the number of new notes outside of the view, and points to the nearest. A press moves the view there. */
import { plural, t } from '@lingui/core/macro'
import ArrowRight from 'lucide-react/icons/arrow-right'
import { useLayoutEffect, useRef } from 'react'
import { useStore } from 'zustand'
import type { ItemId } from '../../protocol/bindings'
import type { CanvasState } from '../../stores/canvas'
import { useApp } from '../actions'
import type { Board } from './board'
import { centredOn, type Insets, toScreen } from './camera'
import { useCanvas } from './canvas-context'
import { type Box, middle } from './geometry'
import { nearest, pointerTo } from './newcomers'
import css from './newcomers-chip.module.css'

/** Distance from the edges; the chip is centred on its point, so half of it lies outside. Receive all is above. */
const INSETS: Insets = { top: 126, right: 84, bottom: 152, left: 84 }

export function NewcomersChip() {
  const { board, view } = useCanvas()
  const { canvas } = useApp().stores
  const unseen = useStore(view, (state) => state.unseen)
  const ref = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    const point = () => {
      const box = nearestOf(board, unseen, canvas.getState().places)
      if (!box || !ref.current) return
      const { x, y, angle } = pointerTo(toScreen(board.camera, middle(box)), board.screen, INSETS)
      ref.current.style.transform = `translate(${x}px, ${y}px) translate(-50%, -50%)`
      ref.current.style.setProperty('--angle', `${angle}deg`)
    }
    point()
    const ends = [board.onView(point), canvas.subscribe(point)]
    return () => {
      for (const end of ends) end()
    }
  }, [board, canvas, unseen])
  if (unseen.size === 0) return null
  const go = () => {
    const box = nearestOf(board, unseen, canvas.getState().places)
    if (box) board.flyTo(centredOn(board.camera, middle(box), board.screen))
  }
  const count = unseen.size
  return (
    <button ref={ref} type="button" className={css.chip} title={t`Show it`} onClick={go}>
      {plural(count, { one: '# new note', other: '# new notes' })}
      <span className={css.arrow}>
        <ArrowRight size={15} strokeWidth={2} />
      </span>
    </button>
  )
}

function nearestOf(board: Board, ids: ReadonlySet<ItemId>, places: CanvasState['places']): Box | undefined {
  const boxes = [...board.boxes(ids, places)].map(([, box]) => box)
  return nearest(boxes, board.view)
}
