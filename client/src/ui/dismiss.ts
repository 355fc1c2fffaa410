import { type RefObject, useEffect } from 'react'

/** Tells when a press, the focus or Esc leaves what `ref` holds: how popovers and menus close. */
export function useDismiss(ref: RefObject<HTMLElement | null>, active: boolean, onDismiss: () => void) {
  useEffect(() => {
    if (!active) return
    const outside = (event: Event) => {
      if (event.target instanceof Node && !ref.current?.contains(event.target)) onDismiss()
    }
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape') onDismiss()
    }
    document.addEventListener('pointerdown', outside)
    document.addEventListener('focusin', outside)
    document.addEventListener('keydown', onKey)
    return () => {
      document.removeEventListener('pointerdown', outside)
      document.removeEventListener('focusin', outside)
      document.removeEventListener('keydown', onKey)
    }
  }, [ref, active, onDismiss])
}
