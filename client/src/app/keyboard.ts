/**
 * Tells the styles of a phone's keyboard: `data-keyboard` on the root while it is open, and in `--keyboard` how much of the
 * page it covers. That is nothing where the window shrinks for it (`interactive-widget=resizes-content`).
 */

/** No bar of a browser is as high, and no keyboard as low. */
const LEAST_KEYBOARD_PX = 150

export interface Heights {
  /** The tallest that the window was, as wide as it is now. */
  readonly tallest: number
  readonly window: number
  /** What of the window can be seen, and how far it is scrolled down in it. */
  readonly visible: number
  readonly offset: number
}

/** Null while there is no keyboard, else the pixels at the bottom of the window that it covers. */
export function coveredBy({ tallest, window, visible, offset }: Heights, isTyping: boolean): number | null {
  if (!isTyping || tallest - visible < LEAST_KEYBOARD_PX) return null
  return Math.max(0, Math.round(window - visible - offset))
}

/** Call it once. */
export function followKeyboard(): void {
  const viewport = window.visualViewport
  if (!viewport || !matchMedia('(pointer: coarse)').matches) return
  let width = 0
  let tallest = 0
  const follow = () => {
    // A magnified page is smaller to see, and no keyboard.
    const visible = viewport.height * viewport.scale
    if (window.innerWidth !== width) tallest = 0
    width = window.innerWidth
    tallest = Math.max(tallest, window.innerHeight, visible)
    const heights = { tallest, window: window.innerHeight, visible, offset: viewport.offsetTop }
    const covered = coveredBy(heights, isTyping())
    const root = document.documentElement
    root.toggleAttribute('data-keyboard', covered !== null)
    root.style.setProperty('--keyboard', `${covered ?? 0}px`)
  }
  for (const type of ['resize', 'scroll'] as const) viewport.addEventListener(type, follow)
  for (const type of ['focusin', 'focusout'] as const) document.addEventListener(type, follow)
  follow()
}

function isTyping(): boolean {
  return document.activeElement?.matches('input, textarea, [contenteditable]') ?? false
}
