import type { ReactNode, SyntheticEvent } from 'react'
import { createPortal } from 'react-dom'

const stop = (event: SyntheticEvent) => event.stopPropagation()

/** The events of pointers, keys and the focus. */
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
 * Renders its children above the page, outside of their parent element. React passes the events of a portal to the
 * parents in React's tree; here they are stopped, so that a drag above the page does not drag what is below.
 */
export function OverPage({ children }: { children: ReactNode }) {
  return createPortal(
    <div style={{ display: 'contents' }} {...ENDED}>
      {children}
    </div>,
    document.body,
  )
}
