/** What is being written or read: a note in the full-screen editor, or a text on its card. */
import { createStore } from 'zustand/vanilla'
import type { ItemId } from '../protocol/bindings'

export type EditorState =
  | { readonly kind: 'closed' }
  /** `text` is what the person had typed before the editor opened. */
  | { readonly kind: 'creating'; readonly text: string }
  | { readonly kind: 'editing'; readonly id: ItemId }
  | { readonly kind: 'viewing'; readonly id: ItemId }
  /** The field of a text on its card. `opened` is the text that it began with. */
  | { readonly kind: 'editing-text'; readonly id: ItemId; readonly text: string; readonly opened: string }

export function createEditorStore() {
  return createStore<EditorState>()(() => ({ kind: 'closed' }))
}
