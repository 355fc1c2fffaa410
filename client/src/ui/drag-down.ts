import { type RefObject, useEffect } from 'react'

/** A drag of this many CSS px puts a sheet away. */
const FAR_ENOUGH = 96

/** Lets a sheet be dragged down by its `[data-grab]`. Released far enough down it is put away, else it returns. */
export function useDragDown(ref: RefObject<HTMLElement | null>, onAway: (() => void) | undefined) {
  useEffect(() => {
    const sheet = ref.current
    const grab = sheet?.querySelector<HTMLElement>('[data-grab]')
    if (!sheet || !grab || !onAway) return
    let from: number | null = null
    const below = ({ clientY }: PointerEvent) => (from === null ? 0 : Math.max(0, clientY - from))
    const down = (event: PointerEvent) => {
      from = event.clientY
      grab.setPointerCapture(event.pointerId)
    }
    const move = (event: PointerEvent) => {
      if (from !== null) sheet.style.translate = `0 ${below(event)}px`
    }
    const up = (event: PointerEvent) => {
      const isFar = event.type === 'pointerup' && below(event) > FAR_ENOUGH
      from = null
      sheet.style.translate = ''
      if (isFar) onAway()
    }
    const listeners = { pointerdown: down, pointermove: move, pointerup: up, pointercancel: up }
    for (const [type, listener] of Object.entries(listeners))
      grab.addEventListener(type as 'pointerup', listener)
    return () => {
      for (const [type, listener] of Object.entries(listeners))
        grab.removeEventListener(type as 'pointerup', listener)
    }
  }, [ref, onAway])
}
