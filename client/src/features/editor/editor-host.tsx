import { Suspense } from 'react'
import { useStore } from 'zustand'
import { lazyPart } from '../../ui/lazy-part'
import { useApp } from '../actions'

const NoteEditor = lazyPart(
  () => import('./note-editor'),
  (m) => m.NoteEditor,
)
const NoteViewer = lazyPart(
  () => import('../note/note-viewer'),
  (m) => m.NoteViewer,
)
const TextQuestion = lazyPart(
  () => import('./text-question'),
  (m) => m.TextQuestion,
)

/** The full-screen editor or viewer, or a question about the text on a card. Its code is loaded on the first use. */
export function EditorHost() {
  const state = useStore(useApp().stores.editor)
  return (
    <Suspense>
      {state.kind === 'creating' && (
        <NoteEditor id={null} text={state.text} isPrivate={state.to !== undefined} />
      )}
      {state.kind === 'editing' && <NoteEditor key={state.id} id={state.id} text="" />}
      {state.kind === 'viewing' && <NoteViewer id={state.id} />}
      {state.kind === 'editing-text' && state.question !== 'none' && (
        <TextQuestion question={state.question} />
      )}
    </Suspense>
  )
}
