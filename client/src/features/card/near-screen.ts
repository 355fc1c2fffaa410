/** Reports which elements of a scrolling page are near the screen. */

/** Distance outside of the screen in CSS px: about one phone screen, so that cards are drawn before they scroll in. */
const AHEAD_PX = 800

const listeners = new WeakMap<Element, (isNear: boolean) => void>()
let observer: IntersectionObserver | null = null

/** One observer for all: with thousands of observers the browser would run each in every frame. */
function pageObserver(): IntersectionObserver {
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) listeners.get(target)?.(isIntersecting)
    },
    { rootMargin: `${AHEAD_PX}px 0px` },
  )
  return observer
}

/** Reports whether the element is near the screen, now and whenever it changes. Returns a function that stops. */
export function watchNearness(element: Element, tell: (isNear: boolean) => void): () => void {
  listeners.set(element, tell)
  pageObserver().observe(element)
  return () => {
    listeners.delete(element)
    pageObserver().unobserve(element)
  }
}
