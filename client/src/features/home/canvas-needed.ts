/** When the home loads its canvas: not for a page that shows only its code to a phone. */
import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { useApp } from '../actions'
import type { Stage } from './stage'

/** What a person does first. A drop, a paste or a choice of files comes after one of them. */
const SIGNS = ['pointermove', 'pointerdown', 'keydown', 'dragenter'] as const

/**
 * Whether the canvas is shown, which `load` gets: when there is something to show on it, or another device. When a person
 * does something, it is loaded in advance, so that it is here before their first note. While the server is away a failed
 * load is not shown, and what was added appears when it is back. The canvas stays, because it can bring deleted notes back.
 */
export function useCanvasNeeded(stage: Stage, load: () => Promise<unknown>): boolean {
  const [isNeeded, setNeeded] = useState(false)
  const isAway = useStore(
    useApp().stores.connection,
    ({ status }) => status === 'reconnecting' || status === 'stopped',
  )
  const shows = stage !== 'no-beam' && stage !== 'alone'
  if (shows && !isAway && !isNeeded) setNeeded(true)
  useEffect(() => {
    if (isNeeded || (isAway && !shows)) return
    const end = new AbortController()
    const prepare = () => {
      end.abort()
      load().then(
        () => setNeeded(true),
        () => {},
      )
    }
    if (shows) prepare()
    else for (const sign of SIGNS) addEventListener(sign, prepare, { capture: true, signal: end.signal })
    return () => end.abort()
  }, [isNeeded, isAway, shows, load])
  return isNeeded || (shows && !isAway)
}
