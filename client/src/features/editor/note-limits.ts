/**
 * What a note can hold. A change that goes beyond it is refused as a whole, with a word, so that what is on the screen is
 * always what can be saved.
 */
import { $isElementNode, type LexicalEditor, type LexicalNode, mergeRegister, RootNode } from 'lexical'
import { readNoteState } from '../../protocol/note-state'
import { MAX_NOTE_STATE_BYTES } from '../../protocol/rich-note'
import { MAX_INLINE_PICTURE } from './picture-encoding'

const TOO_MUCH =
  'A note holds 128 KiB, and this would be more. Nothing was changed: put in less, or share it beside the note.'
const NOT_ALLOWED = 'A note cannot hold this, so nothing was changed. Share it beside the note.'

/** Says why a change was refused, in a sentence for the person. */
export class NoteLimitError extends Error {}

/**
 * Refuses changes beyond the limits. The editor goes back to the state before a change in which something was thrown, and
 * hands what was thrown to its `onError`. A note that was too large before may become smaller.
 */
export function registerNoteLimits(editor: LexicalEditor): () => void {
  let before = sizeOf(editor.getEditorState().toJSON())
  return mergeRegister(
    editor.registerUpdateListener(({ editorState, dirtyElements, dirtyLeaves }) => {
      // Undo brings back a state without asking the transform below.
      if (dirtyElements.size > 0 || dirtyLeaves.size > 0) before = sizeOf(editorState.toJSON())
    }),
    // Run last in every update that changes anything.
    editor.registerNodeTransform(RootNode, (root) => {
      const state = { root: $exported(root) }
      const size = sizeOf(state)
      if (size > MAX_NOTE_STATE_BYTES && size > before) throw new NoteLimitError(TOO_MUCH)
      if (readNoteState(state) === null) throw new NoteLimitError(NOT_ALLOWED)
    }),
  )
}

/** Bytes of a state as it is shared. A picture too large to stand in it as data is about to be shared beside it. */
function sizeOf({ root }: { root: unknown }): number {
  const withoutLargePictures = (key: string, value: unknown) =>
    key === 'src' && typeof value === 'string' && value.length > MAX_INLINE_PICTURE ? '' : value
  return new TextEncoder().encode(JSON.stringify(root, withoutLargePictures)).byteLength
}

/** The state that an update works on; the editor itself tells only the one before it. */
function $exported(node: LexicalNode): unknown {
  const json = node.exportJSON()
  return $isElementNode(node) ? { ...json, children: node.getChildren().map($exported) } : json
}
