/** What is being written or read: a note in the full-screen editor, or a text on its card. */
import { createStore } from 'zustand/vanilla'
import type { DeviceId, ItemId } from '../protocol/bindings'

interface Addressed {
  /**
   * The only other device that gets it (S33); absent for everybody. Known from the opening on, because the item may be
   * deleted meanwhile.
   */
  readonly to?: DeviceId
}

/** The field of a text on its card. */
export interface OpenText extends Addressed {
  readonly kind: 'editing-text'
  readonly id: ItemId
  readonly text: string
  /** The text that it began with. */
  readonly opened: string
  /** What is asked before anything is lost: another device has changed the text, or it has gone. */
  readonly question: 'none' | 'changed' | 'gone'
}

export type EditorState =
  | { readonly kind: 'closed' }
  /** `text` is what the person had typed before the editor opened. */
  | ({ readonly kind: 'creating'; readonly text: string } & Addressed)
  | ({ readonly kind: 'editing'; readonly id: ItemId } & Addressed)
  | { readonly kind: 'viewing'; readonly id: ItemId }
  | OpenText

/** Whether something else stands in the field than at its opening. An emptied field counts as unchanged. */
export function isTyped({ text, opened }: OpenText): boolean {
  const trimmed = text.trim()
  return trimmed !== '' && trimmed !== opened.trim()
}

export function createEditorStore() {
  return createStore<EditorState>()(() => ({ kind: 'closed' }))
}
