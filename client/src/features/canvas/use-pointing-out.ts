/** Brings the item that is pointed out into view and to the front, and makes it flash. */
import { useEffect } from 'react'
import { reduceCanvas } from '../../stores/canvas'
import { flash } from '../../ui/flash'
import { useApp } from '../actions'
import { VIEW_INSETS } from './bars'
import { showing } from './camera'
import { type CanvasValue, drawWhole } from './canvas-context'

export function usePointingOut({ board, view }: CanvasValue): void {
  const { canvas, pointedOut } = useApp().stores
  useEffect(
    () =>
      pointedOut.subscribe(({ id }) => {
        const place = id && canvas.getState().places.get(id)
        if (!id || !place) return
        drawWhole(view, [id])
        canvas.setState((state) => reduceCanvas(state, { type: 'raised', ids: [id] }), true)
        board.flyTo(showing(board.destination, board.boxOf(id, place), board.screen, VIEW_INSETS))
        const note = board.element(id)?.querySelector('article')
        if (note) flash(note)
      }),
    [board, view, canvas, pointedOut],
  )
}
