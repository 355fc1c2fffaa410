/** Tells which elements of a page that scrolls are near the screen. */

/** How far outside of the screen, in CSS px: about one screen of a phone, so that what is scrolled to is there already. */
const AHEAD_PX = 800

const listeners = new WeakMap<Element, (isNear: boolean) => void>()
let observer: IntersectionObserver | null = null

/** One observer for all: thousands of them would each be asked in every frame. */
function pageObserver(): IntersectionObserver {
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) listeners.get(target)?.(isIntersecting)
    },
    { rootMargin: `${AHEAD_PX}px 0px` },
  )
  return observer
}

/** Tells now, and whenever it changes, whether the element is near the screen. Answers how to end that. */
export function watchNearness(element: Element, tell: (isNear: boolean) => void): () => void {
  listeners.set(element, tell)
  pageObserver().observe(element)
  return () => {
    listeners.delete(element)
    pageObserver().unobserve(element)
  }
}
