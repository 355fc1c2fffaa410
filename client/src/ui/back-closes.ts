import { useEffect, useEffectEvent } from 'react'
import { Overlays } from './overlays'

/** Marks our history entries; the router's own state is kept. */
const MARK = 'overlay'

let overlays: Overlays | null = null

function pageOverlays(): Overlays {
  if (overlays) return overlays
  const made = new Overlays(
    {
      push: () => history.pushState({ ...history.state, [MARK]: true }, ''),
      back: () => history.back(),
      isOurs: () => history.state?.[MARK] === true,
    },
    (then) => queueMicrotask(then),
  )
  window.addEventListener('popstate', () => made.popped())
  overlays = made
  return made
}

/** While `active`, the back button calls `onBack` instead of leaving the page. */
export function useBackCloses(active: boolean, onBack: () => void) {
  const back = useEffectEvent(onBack)
  useEffect(() => (active ? pageOverlays().opened(() => back()) : undefined), [active])
}
