/** The zoom buttons: in, out, actual size, and fit all notes. */

import Minus from 'lucide-react/icons/minus'
import Plus from 'lucide-react/icons/plus'
import Maximize from 'lucide-react/icons/scan'
import { useSyncExternalStore } from 'react'
import { IconButton } from '../../ui/icon-button'
import { useApp } from '../actions'
import { VIEW_INSETS } from './bars'
import { fitted, LEAST_ZOOM, MOST_ZOOM, ZOOM_STEP, zoomed } from './camera'
import { useCanvas } from './canvas-context'
import { boxAround } from './geometry'
import css from './zoom-controls.module.css'

export function ZoomControls() {
  const { board } = useCanvas()
  const { items, canvas } = useApp().stores
  const zoom = useSyncExternalStore(
    (listener) => board.onView(listener),
    () => board.camera.zoom,
  )
  const percent = `${Math.round(zoom * 100)} %`
  const zoomBy = (factor: number) => {
    const middle = { x: board.screen.width / 2, y: board.screen.height / 2 }
    // Relative to the end of an earlier press's flight, so that two presses are two steps.
    board.flyTo(zoomed(board.destination, factor, middle))
  }
  const fitAll = () => {
    const ids = items.getState().items.map(({ id }) => id)
    const boxes = [...board.boxes(ids, canvas.getState().places)].map(([, box]) => box)
    const all = boxAround(boxes)
    if (all) board.flyTo(fitted(all, board.screen, VIEW_INSETS))
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div role="group" aria-label="Zoom" className={css.controls}>
      <IconButton
        icon={Minus}
        label="Zoom out"
        look="small"
        iconSize={15}
        disabled={zoom <= LEAST_ZOOM}
        onClick={() => zoomBy(1 / ZOOM_STEP)}
      />
      <button
        type="button"
        className={css.percent}
        aria-label={`Zoom ${percent}, back to 100 %`}
        title="Back to 100 %"
        onClick={() => zoomBy(1 / board.destination.zoom)}
      >
        {percent}
      </button>
      <IconButton
        icon={Plus}
        label="Zoom in"
        look="small"
        iconSize={15}
        disabled={zoom >= MOST_ZOOM}
        onClick={() => zoomBy(ZOOM_STEP)}
      />
      <IconButton icon={Maximize} label="Fit all" look="small" iconSize={15} onClick={fitAll} />
    </div>
  )
}
