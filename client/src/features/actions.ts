/** The actions of the page. Features call them; the composition root in `app` implements them. */
import { createContext, useContext } from 'react'
import type { Language } from '../languages/languages'
import type { BeamId, DeviceId, ItemId, KeepTime, ShortCode } from '../protocol/bindings'
import type { LinksReport } from '../protocol/link-report'
import type { Manifest, PlacedFile } from '../protocol/manifest'
import type { Point } from '../stores/canvas'
import type { ViewOrder } from '../stores/full-view'
import type { Stores } from '../stores/stores'
import type { AccountActions } from './account-actions'
import type { BeamActions } from './beam-actions'
import type { EditorActions } from './editor-actions'
import type { VaultActions } from './vault-actions'

/** The page on which something was pasted: the specification has different texts for each. */
export type Screen = 'home' | 'space'

/** Shares deleted items again, once. Returns false when there was nothing left to restore. */
export type Restore = () => boolean

/** A short code, and how long it is valid, in milliseconds; or why there is none, as a sentence to show. */
export type CodeAnswer = { readonly code: ShortCode; readonly expiresIn: number } | { readonly why: string }

/** The beam of a short code; or why there is none, as a sentence to show. */
export type FoundBeam = { readonly beam: BeamId } | { readonly why: string }

/** Where something goes that is shared. */
export interface Destination {
  /** The point of the screen on which it was dropped. */
  readonly at?: Point | undefined
  /** The only other device that gets it (S33). */
  readonly to?: DeviceId | undefined
}

/** A folder that was picked or dropped. All paths begin with its name: `Photos/2026/a.jpg`. */
export interface Folder {
  readonly name: string
  /** Its files, at any depth. */
  readonly files: readonly { readonly path: string; readonly file: File }[]
  /** The paths of the folders in it without files; its own where it is empty. */
  readonly folders: readonly string[]
}

/** What a person has picked or dropped. */
export interface Chosen {
  readonly files: readonly File[]
  readonly folders: readonly Folder[]
}

/** The part of a folder's handle (File System Access) that is read. */
export interface PlacedFolder extends FileSystemHandle {
  readonly kind: 'directory'
  values(): AsyncIterable<Place>
}

/** Where a file or a folder lies. */
export type Place = PlacedFolder | FileSystemFileHandle

/** A folder that is being read, before it is shared. */
export interface Reading {
  /** Another file was found in it. */
  found(): void
  end(): void
}

export interface Actions {
  /** Creates a new beam and enters it. */
  newBeam(): Promise<void>
  /** Joins the beam whose id the text contains. Returns false when there is none in it. */
  joinBeam(text: string): boolean
  /** Asks the server which beam a short code stands for. */
  findByCode(code: ShortCode): Promise<FoundBeam>
  /** Asks the server for the short code of the current beam. */
  askForCode(): Promise<CodeAnswer>
  copyShortCode(code: string): Promise<void>
  /** Enters a beam of the list of recent beams. */
  enterRecent(beam: BeamId): void
  /** Removes a beam from that list, with its keys and all else that this browser has of it; or all but the current one. */
  forgetRecent(beam: BeamId | 'all'): Promise<void>
  /** Leaves the current beam for none. */
  leaveBeam(): void
  /** Reconnects at once, after the attempts ran out or before the next one. */
  reconnect(): void
  /** Asks the server and the other devices again for what is missing here. */
  lookForMissing(): void

  /** Shares a text without the white space around it. Returns false when it is empty or cannot be shared. */
  shareText(text: string, destination?: Destination): boolean
  /** Shares the content of the device's clipboard: text, or files and pictures. */
  paste(screen: Screen): Promise<void>
  /**
   * Shares a text pasted by the keyboard, unless it is empty. One that is in the beam already is pointed out. Where its
   * HTML is a table, a note with the table is shared.
   */
  pasteText(text: string, screen: Screen, html?: string): void
  /** Shares files, several as one card (F14). Returns false when they cannot be shared. */
  shareFiles(files: readonly File[], destination?: Destination): boolean
  /** Tells that a folder is being read, once that takes a while. */
  readsFolder(): Reading
  /** Shares folders, each as one item with its tree (F16). Returns false when they cannot be shared. */
  shareFolders(folders: readonly Folder[], destination?: Destination): boolean
  /**
   * Offers files again that were lost by a reload, each as the item that it is. Others are refused with one toast. An item
   * that is many files (F16) is chosen by itself, and may be chosen in parts.
   */
  shareAgain(ids: readonly ItemId[], chosen: Chosen): void
  /** Notes where a file or folder lies that is about to be shared, so that a later page can offer it again. */
  keepHandle(what: File | Folder, handle: Place): void
  /** Offers a file again that was lost by a reload and that the person lets the page read. Call it while a press is handled. */
  offerKept(id: ItemId): void
  /** Shares what another app or a website handed over. */
  shareParcel(): Promise<void>
  discardParcel(): Promise<void>

  /** Sends a copy of an item to one device. */
  sendItem(id: ItemId, to: DeviceId): Promise<void>
  /** Copies the text of an item, a picture as an image, or the names of a batch. */
  copyItem(id: ItemId): Promise<void>
  /** Copies the texts of several items, one below the other. */
  copyItems(ids: readonly ItemId[]): Promise<void>
  /** Deletes an item, or a batch with all of its files, on every device. The toast offers Undo. */
  deleteItem(id: ItemId): void
  /** Deletes several items at once. Returns a function that restores them; null when none was deleted. */
  deleteItems(ids: readonly ItemId[]): Restore | null

  /** Shows a file as large as the window allows. `order` says which item is the next one. */
  showFull(id: ItemId, order: ViewOrder): void
  closeFull(): void
  /**
   * Reads at most `bytes` bytes from the start of a file on this device or of a stored copy, also a sealed one. @throws
   * HttpError; any other error where it is not here, or the copy is not of this file
   */
  readItem(id: ItemId, bytes: number): Promise<Uint8Array>
  /** Reads at most `bytes` bytes from an address. @throws HttpError */
  readFile(url: string, bytes: number): Promise<Uint8Array>

  /** Begins to receive a file, or tries again after a failure. */
  receive(id: ItemId): void
  /** Begins to receive every file that is offered to this device. */
  receiveAll(): void
  /** Asks the person for a file to write to, then receives into it. Only where `canSaveAs`. */
  saveAs(id: ItemId): Promise<void>
  readonly canSaveAs: boolean
  /**
   * Saves every file of a batch that is here or at the server: into a folder, or as downloads. What the server has sealed (E7)
   * is received first, here as in all that saves. Of an item that is many files (F16), saves all of them: into a folder, or
   * as one archive.
   */
  saveAll(id: ItemId): Promise<void>
  /** Saves every file that came from another device and is here or at the server, as `saveAll` does. */
  saveEverything(): Promise<void>
  /** Saves one file into the kept folder, or as a download where there is none. */
  saveHere(id: ItemId): Promise<void>
  /** Asks the person for a file, and saves one that is here or at the server into it. Only where `canPickFile`. */
  saveHereAs(id: ItemId): Promise<void>
  readonly canPickFile: boolean
  /** Whether files can be saved into a folder, and not only as downloads. */
  readonly canPickFolder: boolean
  /** Ends a `saveAll` or `saveChosen` of an item that is many files. What was saved stays. */
  stopSaving(id: ItemId): void
  /** Saves one file of an item that is many files. */
  savePacked(id: ItemId, file: PlacedFile): Promise<void>
  /**
   * Saves a part of an item that is many files, as soon as it is here: with its folders, or as an archive. Where there is
   * no folder to save into it is an archive in either case.
   */
  saveChosen(id: ItemId, part: Manifest, as: 'files' | 'zip'): Promise<void>
  /** Asks for a folder into which files are saved from now on. */
  chooseSavePlace(): Promise<void>
  /** Lets the browser save files as downloads again. */
  forgetSavePlace(): Promise<void>
  /** Downloads the files of some cards that can be downloaded now, one after the other. */
  download(ids: readonly ItemId[]): Promise<void>
  /** Cancels a transfer with one device, or with all that receive this file from here. */
  cancel(id: ItemId, device?: DeviceId): void
  /** Pauses a transfer with one device, or with all that receive this file from here. What is there stays there. */
  pause(id: ItemId, device?: DeviceId): void
  /** Goes on with a transfer that was paused here. */
  resume(id: ItemId, device?: DeviceId): void

  /** Looks for the files of which a part is on this browser's disk. */
  listUnfinished(): void
  /** Removes what is here of a file of another beam. */
  discardUnfinished(id: ItemId): void

  /** Asks what is known now of the links to a device. */
  reportLinks(device: DeviceId): Promise<LinksReport>
  /**
   * Returns the SHA-256 of a file on this device, in lower-case hexadecimal digits.
   * @param onBytes called with the bytes that are hashed so far
   * @throws when it cannot be read, or the signal ends it
   */
  hashFile(url: string, onBytes: (bytes: number) => void, signal: AbortSignal): Promise<string>
  /** Copies the report of a fault, or a checksum. Returns whether that went well. */
  copyReport(text: string): Promise<boolean>

  /** Saves the beam to the account under a name. Resolves to null, or to the reason why it was not saved. */
  saveBeam(name: string): Promise<string | null>
  /** Asks the server to keep the beam for so long from now, or no longer. */
  keepBeam(time: KeepTime | null): void
  /** Does not ask about keeping the beam again before another device has come and gone. */
  declineKeeping(): void
  /**
   * Lets all devices show the notes where they lie here, and follow every move from then on (S35); or lets each device
   * have its own arrangement again.
   */
  arrangeForEveryone(shared: boolean): void
  /** Removes a device from the beam; its device token is refused from then on. */
  removeDevice(id: DeviceId): void

  /**
   * Two people have compared the pictures: a device that waits is let in, and counts as verified from now on.
   * @param signs the pictures that the person saw: others, shown since, are not confirmed
   */
  confirmDevice(id: DeviceId, signs: readonly number[]): void
  /** Refuses a device that waits to be let in. */
  refuseDevice(id: DeviceId): void
  /** Asks before any device is let in without the link, or no longer. */
  askBefore(asks: boolean): void
  /** Sends what is shared here to a plain device too, in clear text, from now on or no longer (E12). */
  sendInClear(device: DeviceId, isWanted: boolean): void
  /** Shares in clear text in a beam of which nobody could say whether it is sealed (E11). */
  shareClear(): void

  /** Gives this device another name, in all beams; an empty one means the default. */
  renameDevice(name: string): void

  copyBeamId(): Promise<void>
  copyLink(): Promise<void>
  /** Opens the device's share sheet with the beam's link. */
  shareLink(): Promise<void>

  /** Asks the browser to show a notification when something arrives while the page is hidden, or no longer. */
  notifyOfArrivals(wanted: boolean): Promise<void>

  /** Installs the page as an app, while the browser offers it. */
  install(): Promise<void>

  /** Lets this device pass on what it receives, or no longer. */
  passOn(isWanted: boolean): void

  /** Shows the page in another language, from now on. */
  chooseLanguage(language: Language): Promise<void>

  /** Shows a warning as a toast. */
  warn(text: string): void
  dismissToast(id: number): void

  /** The login and the account. */
  readonly account: AccountActions
  readonly vault: VaultActions
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
