/** Writing: opens the editor on rich notes and texts, and shares what it saves. */
import { t } from '@lingui/core/macro'
import type { EditorActions, NoteDraft } from '../features/editor-actions'
import type { DeviceId, ItemId } from '../protocol/bindings'
import { type Tick, withTick } from '../protocol/check-list'
import { type Lacking, type NoteEdit, NoteVersions, versionOf } from '../protocol/note-versions'
import { copyTitle, RICH_NOTE, type RichNote, richNoteMessage, untitledNote } from '../protocol/rich-note'
import { shortName } from '../ui/short-name'
import type { Context } from './context'
import { newItemId } from './random-ids'
import { addresseeOf, isNoteTooLarge, share, whyNotShare } from './sharing'
import { createTextEditing } from './text-editing'

interface Change {
  /** The ticks that make the version; absent when the whole note was written. */
  readonly ticks?: readonly Tick[]
  readonly to?: DeviceId | undefined
  /** It came in clear text (E12). */
  readonly isClear?: true | undefined
}

export function createNotes(
  context: Context,
  shareFileAs: (id: ItemId, file: File, to?: DeviceId) => void,
): EditorActions {
  const { editor, items } = context.stores
  const find = (id: ItemId) => items.getState().items.find((item) => item.id === id)
  const close = () => editor.setState({ kind: 'closed' }, true)
  const versions = new NoteVersions()
  const put = (id: ItemId, note: RichNote, change: Change = {}) => {
    if (!note.root) return
    const before = find(id)
    const { ticks, to = addresseeOf(context.stores, id), isClear = before?.isClear } = change
    const { message, extra } = richNoteMessage(
      note.title,
      note.root,
      before ? versionOf(before.message) : null,
    )
    versions.made(id, message, ticks ? { kind: 'ticks', ticks } : { kind: 'edit', note, isClear })
    share(context, id, message, extra, { to, isClear })
  }
  const tick = (id: ItemId, ticks: readonly Tick[]) => {
    const content = find(id)?.content
    if (content?.kind !== RICH_NOTE || !content.root || whyNotShare(context)) return
    const root = ticks.reduce((before, one) => withTick(before, one) ?? before, content.root)
    if (root !== content.root) put(id, { title: content.title, root }, { ticks })
  }
  const save = (id: ItemId, { title, root, pictures }: NoteDraft): string | null => {
    const refusal = whyNotShare(context)
    if (refusal) return refusal
    if (isNoteTooLarge(root)) {
      return t`This note is too large to share: it may have at most 128 KiB. Shorten it or remove a picture, then save again.`
    }
    // Pictures are shared first, so that the note that names them finds them.
    const state = editor.getState()
    const { to, isClear } = state.kind === 'creating' || state.kind === 'editing' ? state : {}
    for (const { id: picture, file } of pictures) shareFileAs(picture, file, to)
    put(id, { title, root }, { to, isClear })
    close()
    return null
  }
  keepChanges(context, versions, {
    tick,
    copy: ({ note, isClear }, to) => put(newItemId(), note, { to, isClear }),
  })
  return {
    ...createTextEditing(context),
    create: (text = '') => editor.setState({ kind: 'creating', text }, true),
    view: (id) => editor.setState({ kind: 'viewing', id }, true),
    close,
    save(note) {
      const state = editor.getState()
      // Sharing a deleted note under its id would undo the deletion.
      const isThere = state.kind === 'editing' && find(state.id)
      return save(isThere ? state.id : newItemId(), note)
    },
    saveCopy: (note) => save(newItemId(), { ...note, title: copyTitle(note.title) }),
    tick: (id, one) => tick(id, [one]),
    newPictureId: newItemId,
  }
}

interface Remedies {
  tick(id: ItemId, ticks: readonly Tick[]): void
  copy(edit: NoteEdit, to: DeviceId | undefined): void
}

/** Does ticks again that another device has replaced unseen, and offers to keep a note that it has replaced. */
function keepChanges(context: Context, versions: NoteVersions, { tick, copy }: Remedies): void {
  const { stores, toaster } = context
  const offerCopy = (id: ItemId, edit: NoteEdit) => {
    const { note } = edit
    const name = shortName(note.title || untitledNote())
    const [beam, to] = [context.live(), addresseeOf(stores, id)]
    toaster.bad(t`Another device has just replaced your version of “${name}”.`, {
      label: t`Keep both`,
      run() {
        const refusal =
          context.live() === beam ? whyNotShare(context) : t`You have left the beam of this note.`
        if (refusal === null) copy({ ...edit, note: { ...note, title: copyTitle(note.title) } }, to)
        else toaster.bad(refusal)
      },
    })
  }
  const remedy = (id: ItemId, lacking: Lacking | null) => {
    if (lacking?.edit) offerCopy(id, lacking.edit)
    if (lacking && lacking.ticks.length > 0) tick(id, lacking.ticks)
  }
  stores.items.subscribe(({ items }, before) => {
    if (items === before.items) return
    for (const { id, message } of items) remedy(id, versions.seen(id, message))
  })
}
