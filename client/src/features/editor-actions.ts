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
  /**
   * Shares or changes the note and closes the editor. A note that was deleted meanwhile is shared as a new one. Returns
   * null, or the reason why nothing was saved.
   */
  save(note: NoteDraft): string | null
  /** Shares the note beside the one that is edited, with a mark in its title, and closes the editor. */
  saveCopy(note: NoteDraft): string | null
  /** Ticks an item of a check list, or takes the tick away. */
  tick(id: ItemId, tick: Tick): void
  /** Keeps what is typed into the field of a text. */
  typeText(text: string): void
  /**
   * Changes the text to what was typed and closes the field. Asks first when another device has changed or deleted the
   * text. An empty text changes nothing.
   */
  saveText(): void
  /** Saves what was typed, whatever another device has made of the text. */
  replaceText(): void
  /** Shares what was typed as a new text, with the same addressee, and closes the field. */
  copyText(): void
  /** Takes back the question. What was typed into the field of a text that has gone becomes the start of a new note. */
  goOnWriting(): void
  /** Returns the id for a picture that will be shared beside the note. */
  newPictureId(): ItemId
}
