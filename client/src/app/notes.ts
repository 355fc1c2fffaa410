/** Rich notes: opens the editor on them and shares what it saves. */
import { t } from '@lingui/core/macro'
import type { EditorActions } from '../features/editor-actions'
import type { ItemId } from '../protocol/bindings'
import { MAX_NOTE_STATE_BYTES, richNoteMessage } from '../protocol/rich-note'
import type { Context } from './context'
import { newItemId } from './random-ids'
import { share, whyNotShare } from './sharing'

export function createNotes(context: Context, shareFileAs: (id: ItemId, file: File) => void): EditorActions {
  const { editor } = context.stores
  const close = () => editor.setState({ kind: 'closed' }, true)
  return {
    create: (text = '') => editor.setState({ kind: 'creating', text }, true),
    edit: (id) => editor.setState({ kind: 'editing', id }, true),
    view: (id) => editor.setState({ kind: 'viewing', id }, true),
    close,
    save({ title, root, pictures }) {
      const refusal = whyNotShare(context)
      if (refusal) return refusal
      const { message, extra } = richNoteMessage(title, root)
      if (new TextEncoder().encode(JSON.stringify(root)).byteLength > MAX_NOTE_STATE_BYTES) {
        return t`This note is too large to share: it may have at most 128 KiB. Shorten it or remove a picture, then save again.`
      }
      // Pictures are shared first, so that the note that names them finds them.
      for (const { id, file } of pictures) shareFileAs(id, file)
      const state = editor.getState()
      share(context, state.kind === 'editing' ? state.id : newItemId(), message, extra)
      close()
      return null
    },
    newPictureId: newItemId,
  }
}
