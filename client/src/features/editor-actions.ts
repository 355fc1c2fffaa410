/** What a person can do with rich notes. The composition root implements them. */
import type { ItemId } from '../protocol/bindings'
import type { RootNode } from '../protocol/note-nodes'

/** A picture too large to stand in a note as data: shared as a file item under this id when the note is saved. */
export interface LargePicture {
  readonly id: ItemId
  readonly file: File
}

export interface NoteDraft {
  readonly title: string
  readonly root: RootNode
  readonly pictures: readonly LargePicture[]
}

export interface EditorActions {
  /** Opens the editor on an empty note, or on what was typed so far. */
  create(text?: string): void
  edit(id: ItemId): void
  view(id: ItemId): void
  close(): void
  /** Shares the note, or the change of one, and closes. Null, or why it was not saved: then nothing has changed. */
  save(note: NoteDraft): string | null
  /** An id for a picture that will be shared beside the note. */
  newPictureId(): ItemId
}
