const DURATION_MS = 450
const TIMES = 3

/** Makes a ring around an element flash, to show which one is meant. */
export function flash(element: Element): void {
  element.animate(
    { outline: ['5px solid var(--accent)', '5px solid transparent'], outlineOffset: ['3px', '3px'] },
    { duration: DURATION_MS, iterations: TIMES },
  )
}
