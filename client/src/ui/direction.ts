/** Returns 1 where the texts of an element, or of the page, run to the right, and -1 where they run to the left. */
export function forward(element: Element = document.documentElement): 1 | -1 {
  return getComputedStyle(element).direction === 'rtl' ? -1 : 1
}
