/** The actions of rich notes, implemented by the composition root. */
import type { ItemId } from '../protocol/bindings'
import type { Tick } from '../protocol/check-list'
import type { RootNode } from '../protocol/note-nodes'

/** A picture too large to be data in a note. It is shared as a file item under this id when the note is saved. */
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
  /** Opens the editor on an empty note, or on the text that was typed so far. */
  create(text?: string): void
  /** Opens the editor on a note, or the field of a text on its card. */
  edit(id: ItemId): void
  view(id: ItemId): void
  close(): void
  /** Shares or changes the note and closes the editor. Returns null, or the reason why nothing was saved. */
  save(note: NoteDraft): string | null
  /** Shares the note beside the one that is edited, with a mark in its title, and closes the editor. */
  saveCopy(note: NoteDraft): string | null
  /** Ticks an item of a check list, or takes the tick away. */
  tick(id: ItemId, tick: Tick): void
  /** Keeps what is typed into the field of a text. */
  typeText(text: string): void
  /** Changes the text of an item and closes its field. An empty text changes nothing. */
  saveText(id: ItemId, text: string): void
  /** Returns the id for a picture that will be shared beside the note. */
  newPictureId(): ItemId
}
