/** The layout for the width of the window: above 1024 px it is the desktop's. */
import { useSyncExternalStore } from 'react'

export type ViewportClass = 'desktop' | 'mobile' | 'undetermined'

const WIDE = '(width > 1024px)'

function subscribe(listener: () => void) {
  const query = window.matchMedia(WIDE)
  query.addEventListener('change', listener)
  // A page that is drawn before it is shown has no width yet; being shown resizes it.
  window.addEventListener('resize', listener)
  return () => {
    query.removeEventListener('change', listener)
    window.removeEventListener('resize', listener)
  }
}

/** The layout now. */
export function viewportClass(): ViewportClass {
  if (window.innerWidth === 0) return 'undetermined'
  return window.matchMedia(WIDE).matches ? 'desktop' : 'mobile'
}

export function useViewportClass(): ViewportClass {
  return useSyncExternalStore(subscribe, viewportClass)
}
