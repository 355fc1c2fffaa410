import { useStore } from 'zustand'
import { useApp } from '../actions'
import css from './parcel-note.module.css'

/** Shown while content from another app waits for a beam. */
export function ParcelNote() {
  const waiting = useStore(useApp().stores.shareTarget, (state) => state.waiting)
  if (waiting === 0) return null
  return (
    <p className={css.note} role="status">
      {waiting === 1
        ? 'What you shared waits here. Make a beam or join one, and it goes there.'
        : `${waiting} things that you shared wait here. Make a beam or join one, and they go there.`}
    </p>
  )
}
