/** What a person can do. Features call these; the composition root in `app` implements them. */
import { createContext, useContext } from 'react'
import type { DeviceId, ItemId } from '../protocol/bindings'
import type { Stores } from '../stores/stores'
import type { AccountActions } from './account-actions'
import type { BeamActions } from './beam-actions'
import type { EditorActions } from './editor-actions'

/** Where something was pasted: the specification has other words on /space. */
export type Screen = 'home' | 'space'

/** Shares again what was deleted; answers which new ids stand for which old ones. */
export type Restore = () => ReadonlyMap<ItemId, ItemId>

export interface Actions {
  /** Makes a new beam and connects to it. */
  newBeam(): Promise<void>
  /** Joins the beam that an id, a link or a scanned text names; false when there is no id in it. */
  joinBeam(text: string): boolean
  /** Connects again at once, after the attempts ran out or while waiting for the next. */
  reconnect(): void

  /** Shares a trimmed text; nothing happens when it is empty. */
  shareText(text: string): void
  /** Shares what is on the device's clipboard: text, or files and pictures. */
  paste(screen: Screen): Promise<void>
  /** Shares a text that was pasted by the keyboard, by the same rules: not when empty, not when it is here already. */
  pasteText(text: string, screen: Screen): void
  shareFiles(files: readonly File[]): void

  /** Copies a text, or a picture as a picture. */
  copyItem(id: ItemId): Promise<void>
  /** Copies the texts of several, one below the other. */
  copyItems(ids: readonly ItemId[]): Promise<void>
  /** Deletes for every device; the toast offers Undo. */
  deleteItem(id: ItemId): void
  /**
   * Deletes several at once. Answers how to share them again: once, under new ids, which it answers by the old ones; null
   * where nothing can be brought back.
   */
  deleteItems(ids: readonly ItemId[]): Restore | null

  /** Starts to receive a file, or starts again after a failure. */
  receive(id: ItemId): void
  /** Lets the person pick where the file goes, then receives it there. Only where `canSaveAs`. */
  saveAs(id: ItemId): Promise<void>
  readonly canSaveAs: boolean
  /** Cancels a transfer: with one device, or with all that take this file from here. */
  cancel(id: ItemId, device?: DeviceId): void

  /** Takes the beam into the account under a name. Resolves to null, or to why it was not saved. */
  saveBeam(name: string): Promise<string | null>
  /** Sends a device out of the beam; it cannot come back as the same. */
  removeDevice(id: DeviceId): void

  copyBeamId(): Promise<void>
  copyLink(): Promise<void>
  /** The device's own share sheet with the beam's link. */
  shareLink(): Promise<void>

  /** Says in a toast what could not be done. */
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

/** The stores and the actions of this page. */
export function useApp(): AppValue {
  const app = useContext(AppContext)
  if (!app) throw new Error('useApp outside of AppContext')
  return app
}
