/** Keeps the buttons above a note at their size on the screen, whatever the zoom. */
import { type RefObject, useEffect } from 'react'
import type { CanvasValue } from './canvas-context'

/** Only the notes in use show their buttons, so a zoom changes these alone and not hundreds of others. */
const IN_USE = '[data-note]:is(:hover, :focus-within)'

export function useSteadyControls({ board }: CanvasValue, layer: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const notes = layer.current
    if (!notes) return
    const steady = (note: HTMLElement | null) =>
      note?.style.setProperty('--steady', String(1 / board.camera.zoom))
    const used = ({ target }: Event) => steady((target as Element).closest<HTMLElement>('[data-note]'))
    notes.addEventListener('pointerover', used)
    notes.addEventListener('focusin', used)
    let { zoom } = board.camera
    const end = board.onView(() => {
      if (board.camera.zoom === zoom) return
      zoom = board.camera.zoom
      for (const note of notes.querySelectorAll<HTMLElement>(IN_USE)) steady(note)
    })
    return () => {
      notes.removeEventListener('pointerover', used)
      notes.removeEventListener('focusin', used)
      end()
    }
  }, [board, layer])
}
