import { type FocusEvent, type RefObject, useLayoutEffect, useRef } from 'react'

/** A button with this attribute gets the focus first. */
export const TAKES_FOCUS = { 'data-takes-focus': true } as const

const FIRST = '[data-takes-focus]'

/**
 * Where one button takes the place of another under the focus, it gets the focus: a key would reach nothing else. It is
 * looked for in this element, and then in the card around it. Call it in the component that draws these buttons anew.
 */
export function useKeptFocus(ref: RefObject<HTMLElement | null>) {
  const isWithin = useRef(false)
  useLayoutEffect(() => {
    const isLost = document.activeElement === document.body || document.activeElement === null
    if (isWithin.current && isLost) heirIn(ref.current)?.focus()
  })
  return {
    onFocus: () => {
      isWithin.current = true
    },
    onBlur: ({ target }: FocusEvent) =>
      queueMicrotask(() => {
        // A button that was taken away did not give the focus to another place.
        if (target.isConnected) isWithin.current = ref.current?.contains(document.activeElement) ?? false
      }),
  }
}

function heirIn(element: HTMLElement | null): HTMLElement | null | undefined {
  const find = (selector: string) => element?.querySelector<HTMLElement>(selector)
  return (
    find(FIRST) ?? find('button, a[href]') ?? element?.closest('article')?.querySelector<HTMLElement>(FIRST)
  )
}
