/** Writing: opens the editor on rich notes and texts, and shares what it saves. */
import { t } from '@lingui/core/macro'
import type { EditorActions, NoteDraft } from '../features/editor-actions'
import type { DeviceId, ItemId } from '../protocol/bindings'
import { type Tick, withTick } from '../protocol/check-list'
import { copyableText, type Item, textMessage } from '../protocol/item'
import { type NoteChange, NoteVersions, versionOf } from '../protocol/note-versions'
import { copyTitle, RICH_NOTE, type RichNote, richNoteMessage, UNTITLED } from '../protocol/rich-note'
import { shortName } from '../ui/short-name'
import type { Context } from './context'
import { newItemId } from './random-ids'
import { addresseeOf, isNoteTooLarge, isTooLong, share, whyNotShare } from './sharing'

export function createNotes(
  context: Context,
  shareFileAs: (id: ItemId, file: File, to?: DeviceId) => void,
): EditorActions {
  const { editor, items } = context.stores
  const find = (id: ItemId) => items.getState().items.find((item) => item.id === id)
  const close = () => editor.setState({ kind: 'closed' }, true)
  const versions = new NoteVersions()
  const put = (id: ItemId, note: RichNote, tick: Tick | null = null) => {
    if (!note.root) return
    const before = find(id)
    const { message, extra } = richNoteMessage(
      note.title,
      note.root,
      before ? versionOf(before.message) : null,
    )
    versions.made(id, message, tick ? { kind: 'tick', tick } : { kind: 'edit', note })
    share(context, id, message, extra)
  }
  const tick = (id: ItemId, wanted: Tick) => {
    const content = find(id)?.content
    if (content?.kind !== RICH_NOTE || !content.root || whyNotShare(context)) return
    const root = withTick(content.root, wanted)
    if (root) put(id, { title: content.title, root }, wanted)
  }
  const save = (id: ItemId, { title, root, pictures }: NoteDraft): string | null => {
    const refusal = whyNotShare(context)
    if (refusal) return refusal
    if (isNoteTooLarge(root)) {
      return t`This note is too large to share: it may have at most 128 KiB. Shorten it or remove a picture, then save again.`
    }
    // Pictures are shared first, so that the note that names them finds them.
    const to = addresseeOf(context.stores, id)
    for (const { id: picture, file } of pictures) shareFileAs(picture, file, to)
    put(id, { title, root })
    close()
    return null
  }
  keepChanges(context, versions, { tick, copy: (note) => put(newItemId(), note) })
  return {
    ...createTextEditing(context, find, close),
    create: (text = '') => editor.setState({ kind: 'creating', text }, true),
    view: (id) => editor.setState({ kind: 'viewing', id }, true),
    close,
    save(note) {
      const state = editor.getState()
      return save(state.kind === 'editing' ? state.id : newItemId(), note)
    },
    saveCopy: (note) => save(newItemId(), { ...note, title: copyTitle(note.title) }),
    tick,
    newPictureId: newItemId,
  }
}

type TextEditing = Pick<EditorActions, 'edit' | 'typeText' | 'saveText'>

/** The field of a text on its card, of which one is open at a time. */
function createTextEditing(
  context: Context,
  find: (id: ItemId) => Item | undefined,
  close: () => void,
): TextEditing {
  const { editor } = context.stores
  const saveText = (id: ItemId, text: string) => {
    const trimmed = text.trim()
    const content = find(id)?.content
    const isChanged = trimmed !== '' && (!content || copyableText(content) !== trimmed)
    const refusal = isChanged
      ? (whyNotShare(context) ??
        (isTooLong(trimmed) ? t`This text is too long. Shorten it, then save again.` : null))
      : null
    // The field stays open, so that nothing of it is lost.
    if (refusal !== null) return void context.toaster.bad(refusal)
    const { message, extra } = textMessage(trimmed)
    if (isChanged) share(context, id, message, extra)
    close()
  }
  return {
    saveText,
    edit(id) {
      const open = editor.getState()
      // What was typed into another field is not lost.
      if (open.kind === 'editing-text' && open.id !== id) {
        saveText(open.id, open.text)
        if (editor.getState().kind !== 'closed') return
      }
      const content = find(id)?.content
      if (!content || content.kind === RICH_NOTE) return editor.setState({ kind: 'editing', id }, true)
      const text = copyableText(content) ?? ''
      editor.setState({ kind: 'editing-text', id, text, opened: text }, true)
    },
    typeText(text) {
      const open = editor.getState()
      if (open.kind === 'editing-text') editor.setState({ ...open, text }, true)
    },
  }
}

interface Remedies {
  tick(id: ItemId, tick: Tick): void
  copy(note: RichNote): void
}

/** Does a tick again that another device has replaced unseen, and offers to keep a note that it has replaced. */
function keepChanges({ stores, toaster }: Context, versions: NoteVersions, { tick, copy }: Remedies): void {
  const offerCopy = (note: RichNote) => {
    const name = shortName(note.title || UNTITLED)
    toaster.bad(`Another device has just replaced your version of “${name}”.`, {
      label: 'Keep both',
      run: () => copy({ ...note, title: copyTitle(note.title) }),
    })
  }
  const remedy = (id: ItemId, lacking: NoteChange | null) => {
    if (lacking?.kind === 'tick') tick(id, lacking.tick)
    if (lacking?.kind === 'edit') offerCopy(lacking.note)
  }
  stores.items.subscribe(({ items }, before) => {
    if (items === before.items) return
    const own = new Set(versions.notes)
    for (const { id, message } of items) if (own.has(id)) remedy(id, versions.seen(id, message))
  })
}
