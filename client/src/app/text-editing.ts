/** The field of a text on its card, of which one is open at a time. */
import { t } from '@lingui/core/macro'
import type { EditorActions } from '../features/editor-actions'
import type { ItemId } from '../protocol/bindings'
import { copyableText, type Item, textMessage } from '../protocol/item'
import { RICH_NOTE } from '../protocol/rich-note'
import { isTyped, type OpenText, originOf } from '../stores/editor'
import type { Context } from './context'
import { newItemId } from './random-ids'
import { addresseeOf, isTooLong, share, whyNotShare } from './sharing'

type TextEditing = Pick<
  EditorActions,
  'edit' | 'typeText' | 'saveText' | 'replaceText' | 'copyText' | 'goOnWriting'
>

export function createTextEditing(context: Context): TextEditing {
  const { stores } = context
  const { editor } = stores
  const find = (id: ItemId) => stores.items.getState().items.find((item) => item.id === id)
  const opened = () => {
    const state = editor.getState()
    return state.kind === 'editing-text' ? state : null
  }
  const ask = (open: OpenText, question: OpenText['question']) => editor.setState({ ...open, question }, true)
  const close = () => editor.setState({ kind: 'closed' }, true)
  const shareAs = (id: ItemId, { text, to, isClear }: OpenText) => {
    const refusal = whyNotShareText(context, text.trim())
    // The field stays open, so that nothing of it is lost.
    if (refusal !== null) return void context.toaster.bad(refusal)
    const { message, extra } = textMessage(text.trim())
    share(context, id, message, extra, { to, isClear })
    close()
  }
  const saveText = () => {
    const open = opened()
    if (!open) return
    const now = currentText(find(open.id))
    if (!isTyped(open) || now === open.text.trim()) close()
    else if (now === null) ask(open, 'gone')
    else if (now !== open.opened) ask(open, 'changed')
    else shareAs(open.id, open)
  }
  watchItems(context, () => {
    const open = opened()
    if (!open || currentText(find(open.id)) !== null) return
    if (!isTyped(open)) close()
    else if (open.question !== 'gone') ask(open, 'gone')
  })
  return {
    saveText,
    replaceText() {
      const open = opened()
      // Sharing a deleted text under its id would undo the deletion.
      if (open) shareAs(find(open.id) ? open.id : newItemId(), open)
    },
    copyText() {
      const open = opened()
      if (open) shareAs(newItemId(), open)
    },
    goOnWriting() {
      const open = opened()
      if (open?.question === 'gone')
        editor.setState({ kind: 'creating', text: open.text, ...originOf(open) }, true)
      else if (open) ask(open, 'none')
    },
    edit(id) {
      // What was typed into another field is not lost.
      if (opened()?.id !== id) saveText()
      if (opened()) return
      const item = find(id)
      const origin = originOf({ to: addresseeOf(stores, id), isClear: item?.isClear })
      if (item?.content.kind === RICH_NOTE) return editor.setState({ kind: 'editing', id, ...origin }, true)
      const text = currentText(item)
      if (text === null) return
      editor.setState({ kind: 'editing-text', id, text, opened: text, question: 'none', ...origin }, true)
    },
    typeText(text) {
      const open = opened()
      if (open) editor.setState({ ...open, text }, true)
    },
  }
}

/** Returns the text of an item that has a field; null when the item is gone or has become something else. */
function currentText(item: Item | undefined): string | null {
  const { content } = item ?? {}
  return content?.kind === 'text' || content?.kind === 'unknown' ? copyableText(content) : null
}

function whyNotShareText(context: Context, text: string): string | null {
  const refusal = whyNotShare(context)
  if (refusal !== null) return refusal
  return isTooLong(context, text) ? t`This text is too long. Shorten it, then save again.` : null
}

function watchItems({ stores }: Context, onItems: () => void): void {
  stores.items.subscribe(({ items }, before) => {
    if (items !== before.items) onItems()
  })
}
