/** What is being written or read: a note in the full-screen editor, or a text on its card. */
import { createStore } from 'zustand/vanilla'
import type { DeviceId, ItemId } from '../protocol/bindings'
import { addressee } from '../protocol/item'

/** What a text keeps of the item that it began with, also where that is deleted meanwhile, or another item is made of it. */
interface Origin {
  /** The only other device that gets it (S33); absent for everybody. */
  readonly to?: DeviceId
  /** It came in clear text (E12). */
  readonly isClear?: true
}

/** The field of a text on its card. */
export interface OpenText extends Origin {
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
  | ({ readonly kind: 'creating'; readonly text: string } & Origin)
  | ({ readonly kind: 'editing'; readonly id: ItemId } & Origin)
  | { readonly kind: 'viewing'; readonly id: ItemId }
  | OpenText

export function originOf({ to, isClear }: { [Part in keyof Origin]: Origin[Part] | undefined }): Origin {
  return { ...addressee(to), ...(isClear && { isClear }) }
}

/** Whether something else stands in the field than at its opening. An emptied field counts as unchanged. */
export function isTyped({ text, opened }: OpenText): boolean {
  const trimmed = text.trim()
  return trimmed !== '' && trimmed !== opened.trim()
}

export function createEditorStore() {
  return createStore<EditorState>()(() => ({ kind: 'closed' }))
}
