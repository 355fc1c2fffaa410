import { t } from '@lingui/core/macro'
import { type KeyboardEvent, type PointerEvent, type RefObject, useRef } from 'react'
import { forward } from '../../ui/direction'
import { resized, type Size } from './image-size'
import css from './image-view.module.css'

const KEY_STEP_PX = 10

/** The corner handle that resizes a picture, by dragging or by the arrow keys. */
export function ResizeHandle({
  picture,
  onResize,
}: {
  picture: RefObject<HTMLImageElement | null>
  onResize: (size: Size) => void
}) {
  const drag = useRef<{ x: number; from: Size; to: Size | null } | null>(null)
  const sizeAt = (from: Size, dx: number) => resized(from, dx, widest(picture.current))
  const onPointerDown = (event: PointerEvent<HTMLButtonElement>) => {
    const box = picture.current?.getBoundingClientRect()
    if (!box || event.button !== 0) return
    event.preventDefault()
    event.currentTarget.setPointerCapture(event.pointerId)
    event.currentTarget.focus()
    drag.current = { x: event.clientX, from: box, to: null }
  }
  // During a drag only the frame changes; the note gets the size at the end.
  const onPointerMove = ({ clientX }: PointerEvent) => {
    const frame = picture.current?.parentElement
    if (!drag.current || !frame) return
    // The handle is at the end of the picture's line.
    drag.current.to = sizeAt(drag.current.from, forward(frame) * (clientX - drag.current.x))
    frame.style.width = `${drag.current.to.width}px`
  }
  // Also called when the browser took the pointer away: the shown size then counts.
  const onEnd = () => {
    const to = drag.current?.to
    drag.current = null
    if (to) onResize(to)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const right = KEY_STEP_PX * forward(event.currentTarget)
    const step = {
      ArrowRight: right,
      ArrowDown: KEY_STEP_PX,
      ArrowLeft: -right,
      ArrowUp: -KEY_STEP_PX,
    }[event.key]
    const box = picture.current?.getBoundingClientRect()
    if (step === undefined || !box) return
    event.preventDefault()
    event.stopPropagation()
    onResize(sizeAt(box, step))
  }
  return (
    <button
      type="button"
      className={css.handle}
      aria-label={t`Resize`}
      title={t`Resize: drag, or use the arrow keys`}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onEnd}
      onLostPointerCapture={onEnd}
      onKeyDown={onKeyDown}
    />
  )
}

/** Returns the greatest width of a picture: that of its column. */
function widest(picture: HTMLImageElement | null): number {
  return picture?.closest('[contenteditable="true"] > *')?.clientWidth ?? Number.POSITIVE_INFINITY
}
