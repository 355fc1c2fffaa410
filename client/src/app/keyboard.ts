/**
 * Tells the styles about a phone's keyboard: `data-keyboard` is on the root while it is open, and `--keyboard` is the
 * height of the page that it covers. The height is 0 where the window shrinks instead
 * (`interactive-widget=resizes-content`).
 */

/** Every keyboard is higher than this, and every bar of a browser lower. */
const LEAST_KEYBOARD_PX = 150

export interface Heights {
  /** Greatest height of the window at its present width. */
  readonly tallest: number
  readonly window: number
  /** Visible height of the window, and how far it is scrolled down. */
  readonly visible: number
  readonly offset: number
}

/** Returns how many pixels at the bottom of the window the keyboard covers; null while there is no keyboard. */
export function coveredBy({ tallest, window, visible, offset }: Heights, isTyping: boolean): number | null {
  if (!isTyping || tallest - visible < LEAST_KEYBOARD_PX) return null
  return Math.max(0, Math.round(window - visible - offset))
}

/** Starts to watch the keyboard. Call it once. */
export function followKeyboard(): void {
  const viewport = window.visualViewport
  if (!viewport || !matchMedia('(pointer: coarse)').matches) return
  let width = 0
  let tallest = 0
  const follow = () => {
    // Zooming in makes the viewport smaller without a keyboard.
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
