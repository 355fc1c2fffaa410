import type { ReactNode, SyntheticEvent } from 'react'
import { createPortal } from 'react-dom'

const stop = (event: SyntheticEvent) => event.stopPropagation()

/** What people do with a pointer, keys and the focus. */
const ENDED = {
  onPointerDown: stop,
  onPointerMove: stop,
  onPointerUp: stop,
  onPointerCancel: stop,
  onLostPointerCapture: stop,
  onMouseDown: stop,
  onClick: stop,
  onDoubleClick: stop,
  onKeyDown: stop,
  onKeyUp: stop,
  onFocus: stop,
  onBlur: stop,
  onDragStart: stop,
}

/**
 * Draws something over the page, outside of what it belongs to. React hands the events of a portal on to the parents that it has
 * in React's own tree; here they end, so that what is dragged over the page does not drag what lies under it.
 */
export function OverPage({ children }: { children: ReactNode }) {
  return createPortal(
    <div style={{ display: 'contents' }} {...ENDED}>
      {children}
    </div>,
    document.body,
  )
}
