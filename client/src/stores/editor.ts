/** The full-screen editor: closed, writing a note, or reading one. */
import { createStore } from 'zustand/vanilla'
import type { ItemId } from '../protocol/bindings'

export type EditorState =
  | { readonly kind: 'closed' }
  /** `text` is what the person had typed before the editor opened. */
  | { readonly kind: 'creating'; readonly text: string }
  | { readonly kind: 'editing'; readonly id: ItemId }
  | { readonly kind: 'viewing'; readonly id: ItemId }

export function createEditorStore() {
  return createStore<EditorState>()(() => ({ kind: 'closed' }))
}
