import { useSyncExternalStore } from 'react'

const NARROW = '(width <= 600px)'

/** Whether the tools are below the text, within reach of the thumbs. */
export function usePhone(): boolean {
  return useSyncExternalStore(subscribe, () => window.matchMedia(NARROW).matches)
}

function subscribe(listener: () => void): () => void {
  const query = window.matchMedia(NARROW)
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}
