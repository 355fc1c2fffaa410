/** The buttons above the map: zoom, fit all notes, tidy them up, and the switch of the shared arrangement. */

import { t } from '@lingui/core/macro'
import LayoutGrid from 'lucide-react/icons/layout-grid'
import Minus from 'lucide-react/icons/minus'
import Plus from 'lucide-react/icons/plus'
import Maximize from 'lucide-react/icons/scan'
import Users from 'lucide-react/icons/users'
import { useSyncExternalStore } from 'react'
import { useStore } from 'zustand'
import { IconButton } from '../../ui/icon-button'
import { useApp } from '../actions'
import { useMayShare } from '../session/beam'
import { LEAST_ZOOM, MOST_ZOOM } from './camera'
import { useCanvas } from './canvas-context'
import { useCommands } from './use-commands'
import css from './zoom-controls.module.css'

export function ZoomControls() {
  const { board } = useCanvas()
  const { zoomIn, zoomOut, fullSize, fitAll, tidyUp } = useCommands()
  const zoom = useSyncExternalStore(
    (listener) => board.onView(listener),
    () => board.camera.zoom,
  )
  const percent = Math.round(zoom * 100)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div role="group" aria-label={t`View and places`} className={css.controls}>
      <IconButton
        icon={Minus}
        label={t`Zoom out`}
        look="small"
        iconSize={15}
        disabled={zoom <= LEAST_ZOOM}
        onClick={zoomOut}
      />
      <button
        type="button"
        className={css.percent}
        aria-label={t`Zoom ${percent} %, back to 100 %`}
        title={t`Back to 100 %`}
        onClick={fullSize}
      >
        {t`${percent} %`}
      </button>
      <IconButton
        icon={Plus}
        label={t`Zoom in`}
        look="small"
        iconSize={15}
        disabled={zoom >= MOST_ZOOM}
        onClick={zoomIn}
      />
      <IconButton icon={Maximize} label={t`Fit all`} look="small" iconSize={15} onClick={fitAll} />
      <ArrangeForEveryone />
      <IconButton icon={LayoutGrid} label={t`Tidy up`} look="small" iconSize={15} onClick={tidyUp} />
    </div>
  )
}

/** The switch of the shared arrangement. */
function ArrangeForEveryone() {
  const { stores, actions } = useApp()
  const shared = useStore(stores.canvas, (state) => state.shared)
  const mayShare = useMayShare()
  return (
    <IconButton
      icon={Users}
      label={t`Arrange for everyone`}
      look="small"
      iconSize={15}
      aria-pressed={shared}
      className={css.switch}
      disabled={!mayShare}
      onClick={() => actions.arrangeForEveryone(!shared)}
    />
  )
}
