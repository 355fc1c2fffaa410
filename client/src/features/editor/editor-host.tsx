import { lazy, Suspense } from 'react'
import { useStore } from 'zustand'
import { useHouse } from '../actions'

const NoteEditor = lazy(() => import('./note-editor').then((m) => ({ default: m.NoteEditor })))
const NoteViewer = lazy(() => import('../note/note-viewer').then((m) => ({ default: m.NoteViewer })))

/** The page over the others, while a note is written or read. What it is made of is loaded then. */
export function EditorHost() {
  const state = useStore(useHouse().stores.editor)
  return (
    <Suspense>
      {state.kind === 'creating' && <NoteEditor id={null} text={state.text} />}
      {state.kind === 'editing' && <NoteEditor key={state.id} id={state.id} text="" />}
      {state.kind === 'viewing' && <NoteViewer id={state.id} />}
    </Suspense>
  )
}
