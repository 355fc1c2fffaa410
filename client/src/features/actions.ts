/** The actions of the page. Features call them; the composition root in `app` implements them. */
import { createContext, useContext } from 'react'
import type { Language } from '../languages/languages'
import type { DeviceId, ItemId } from '../protocol/bindings'
import type { Stores } from '../stores/stores'
import type { AccountActions } from './account-actions'
import type { BeamActions } from './beam-actions'
import type { EditorActions } from './editor-actions'

/** The page on which something was pasted: the specification has different texts for each. */
export type Screen = 'home' | 'space'

/** Shares deleted items again, once. Returns false when there was nothing left to restore. */
export type Restore = () => boolean

export interface Actions {
  /** Creates a new beam and enters it. */
  newBeam(): Promise<void>
  /** Joins the beam whose id the text contains. Returns false when there is none in it. */
  joinBeam(text: string): boolean
  /** Reconnects at once, after the attempts ran out or before the next one. */
  reconnect(): void

  /** Shares a text without the white space around it. Returns false when it is empty or cannot be shared. */
  shareText(text: string): boolean
  /** Shares the content of the device's clipboard: text, or files and pictures. */
  paste(screen: Screen): Promise<void>
  /** Shares a text pasted by the keyboard, unless it is empty. One that is in the beam already is pointed out. */
  pasteText(text: string, screen: Screen): void
  shareFiles(files: readonly File[]): void
  /** Offers a file again that was lost by a reload. Another file is refused with a toast. */
  shareAgain(id: ItemId, file: File): void
  /** Shares what another app or a website handed over. */
  shareParcel(): Promise<void>
  discardParcel(): Promise<void>

  /** Copies the text of an item, or a picture as an image. */
  copyItem(id: ItemId): Promise<void>
  /** Copies the texts of several items, one below the other. */
  copyItems(ids: readonly ItemId[]): Promise<void>
  /** Deletes an item on every device. The toast offers Undo. */
  deleteItem(id: ItemId): void
  /** Deletes several items at once. Returns a function that restores them; null when none was deleted. */
  deleteItems(ids: readonly ItemId[]): Restore | null

  /** Begins to receive a file, or tries again after a failure. */
  receive(id: ItemId): void
  /** Begins to receive every file that is offered to this device. */
  receiveAll(): void
  /** Asks the person for a file to write to, then receives into it. Only where `canSaveAs`. */
  saveAs(id: ItemId): Promise<void>
  readonly canSaveAs: boolean
  /** Cancels a transfer with one device, or with all that receive this file from here. */
  cancel(id: ItemId, device?: DeviceId): void

  /** Saves the beam to the account under a name. Resolves to null, or to the reason why it was not saved. */
  saveBeam(name: string): Promise<string | null>
  /** Removes a device from the beam; its device token is refused from then on. */
  removeDevice(id: DeviceId): void

  copyBeamId(): Promise<void>
  copyLink(): Promise<void>
  /** Opens the device's share sheet with the beam's link. */
  shareLink(): Promise<void>

  /** Shows the page in another language, from now on. */
  chooseLanguage(language: Language): Promise<void>

  /** Shows a warning as a toast. */
  warn(text: string): void
  dismissToast(id: number): void

  /** The login and the account. */
  readonly account: AccountActions
  /** The account's saved beams. */
  readonly beams: BeamActions
  /** Rich notes: writing, changing and reading them. */
  readonly notes: EditorActions
}

export interface AppValue {
  readonly stores: Stores
  readonly actions: Actions
}

export const AppContext = createContext<AppValue | null>(null)

/** Returns the stores and the actions of this page. */
export function useApp(): AppValue {
  const app = useContext(AppContext)
  if (!app) throw new Error('useApp outside of AppContext')
  return app
}
