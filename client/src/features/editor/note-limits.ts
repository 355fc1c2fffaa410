/**
 * The limits of a note. A change beyond them is refused as a whole, with a message, so that the screen never shows what
 * cannot be saved.
 */
import { t } from '@lingui/core/macro'
import { $isElementNode, type LexicalEditor, type LexicalNode, mergeRegister, RootNode } from 'lexical'
import { readNoteState } from '../../protocol/note-state'
import { MAX_NOTE_STATE_BYTES } from '../../protocol/rich-note'
import { MAX_INLINE_PICTURE } from './picture-encoding'

/** The reason why a change was refused, as a sentence to show. */
export class NoteLimitError extends Error {}

/**
 * Refuses changes beyond the limits. When an update throws, the editor reverts to the state before it and passes the
 * error to `onError`. A note that was too large before may become smaller.
 */
export function registerNoteLimits(editor: LexicalEditor): () => void {
  let before = sizeOf(editor.getEditorState().toJSON())
  return mergeRegister(
    editor.registerUpdateListener(({ editorState, dirtyElements, dirtyLeaves }) => {
      // Undo restores a state without running the transform below.
      if (dirtyElements.size > 0 || dirtyLeaves.size > 0) before = sizeOf(editorState.toJSON())
    }),
    // Root transforms run last, in every update that changes something.
    editor.registerNodeTransform(RootNode, (root) => {
      const state = { root: $exported(root) }
      const size = sizeOf(state)
      if (size > MAX_NOTE_STATE_BYTES && size > before) {
        throw new NoteLimitError(
          t`A note holds at most 128 KiB. Nothing was changed: insert less, or share it beside the note.`,
        )
      }
      if (readNoteState(state) === null) {
        throw new NoteLimitError(
          t`A note cannot hold this, so nothing was changed. Share it beside the note.`,
        )
      }
    }),
  )
}

/** Returns the bytes of a state as it is shared. Large pictures are not counted, because they are shared beside it. */
function sizeOf({ root }: { root: unknown }): number {
  const withoutLargePictures = (key: string, value: unknown) =>
    key === 'src' && typeof value === 'string' && value.length > MAX_INLINE_PICTURE ? '' : value
  return new TextEncoder().encode(JSON.stringify(root, withoutLargePictures)).byteLength
}

/** Exports the state of the current update; the editor's own export has only the state before it. */
function $exported(node: LexicalNode): unknown {
  const json = node.exportJSON()
  return $isElementNode(node) ? { ...json, children: node.getChildren().map($exported) } : json
}
