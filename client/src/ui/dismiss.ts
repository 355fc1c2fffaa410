import { type RefObject, useEffect, useLayoutEffect } from 'react'

/**
 * Closes popovers and menus: calls `onDismiss` when a press or the focus leaves `ref`, and on Esc. After closing, a
 * focus that was inside returns to the button that opened it (WAI-ARIA, menu button).
 */
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
  useLayoutEffect(() => {
    const anchor = ref.current
    if (!active || !anchor) return
    return () => {
      const { activeElement } = document
      const wasInside = activeElement === document.body || anchor.contains(activeElement)
      if (wasInside) anchor.querySelector<HTMLElement>('[aria-haspopup]')?.focus()
    }
  }, [ref, active])
}
