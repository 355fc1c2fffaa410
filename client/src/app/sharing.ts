/** Shares texts and files into the beam. */
import { t } from '@lingui/core/macro'
import type { Actions, Chosen, Destination } from '../features/actions'
import type { BeamId, DeviceId, ItemId } from '../protocol/bindings'
import {
  addressee,
  type FileSeal,
  type Item,
  type ItemContent,
  pendingItem,
  textMessage,
} from '../protocol/item'
import { displayName } from '../protocol/names'
import type { RootNode } from '../protocol/note-nodes'
import { MAX_NOTE_STATE_BYTES, richNoteMessage } from '../protocol/rich-note'
import { mayShare } from '../stores/beam-access'
import { type Point, reduceCanvas } from '../stores/canvas'
import type { FileItem } from '../stores/cards'
import { inClearTo } from '../stores/clear-copies'
import { whyGone } from '../stores/connection'
import { mayBeSealed } from '../stores/encryption'
import { reduceItems } from '../stores/items'
import { isStored } from '../stores/keeping'
import { reduceTransfers } from '../stores/transfers'
import { readMe } from '../transport/account-calls'
import { isCopyGone } from '../transport/http'
import { uploadAfter } from '../transport/upload'
import { upload } from '../transport/uploading'
import { shortName } from '../ui/short-name'
import { batchOf, isBatch } from './batching'
import { createBlobUrl } from './blob-urls'
import type { Context } from './context'
import { sayWhatStaysHere } from './file-room'
import { LostFiles, NOTHING_REMEMBERED, type SharedFiles } from './lost-files'
import { safeType } from './media-kinds'
import { type Pack, packFiles, packFolder, packFolders } from './packing'
import { whilePreparing } from './preparing'
import { newItemId } from './random-ids'
import { changedText } from './same-file'
import { messageOf, type OutgoingFile, StoredCopies } from './stored-copies'
import type { UploadNews } from './upload-news'

/** Bytes reserved for the rest of a `share_clipboard` around its text. */
const ENVELOPE_BYTES = 1024
/** The part of a message that is content where it is sealed: base64 takes a quarter, and padding up to an eighth of the rest. */
const SEALED_SHARE = 0.65

export type Sharing = Pick<Actions, 'shareText' | 'shareFiles' | 'shareFolders' | 'shareAgain'> & {
  /** Shares a rich note without a title. Returns false when it is too large or cannot be shared. */
  shareNote(root: RootNode): boolean
  /** Shares a file under an id that another item already refers to. */
  shareFileAs(id: ItemId, file: File, to?: DeviceId): void
  /** Shares a file of the beam with one device, under an id of its own. */
  shareCopy(file: Pack & Pick<Item, 'isClear'>, to: DeviceId): void
  /**
   * Offers what was found again of an item that a reload has lost, if it is the same.
   * @param tells whether the person is told when it is not
   */
  offerSame(id: ItemId, found: Chosen, tells: boolean): Promise<void>
  /** Lets devices receive the file of an item that was deleted and is shared again. */
  offerAgain(item: Item, file: Blob): void
}

/**
 * @param newSeal makes what seals a file that is shared now (E7), or returns undefined where its bytes travel as they are
 */
export function createSharing(
  context: Context,
  uploads: UploadNews,
  known: SharedFiles = NOTHING_REMEMBERED,
  newSeal: () => FileSeal | undefined = () => undefined,
): Sharing {
  const outgoing = outgoingWith(newSeal)
  const copies = createStoredCopies(context)
  const lost = new LostFiles(context, known, (item, file) => offerLost(context, copies, item, file))
  const shareTogether = sharerOf(context, copies, uploads, known)
  const sharingWith =
    ({ at, to }: Destination) =>
    (parts: readonly OutgoingFile[]) =>
      shareTogether(
        parts.map((part) => ({ ...part, ...addressee(to) })),
        at,
      )
  const sharesPacks = (shareAll: (parts: readonly OutgoingFile[]) => void) => (packs: readonly Pack[]) =>
    shareAll(packs.map(({ file, manifest }) => outgoing(file, { manifest })))
  return {
    shareText(text, { at, to } = {}) {
      const trimmed = text.trim()
      if (trimmed === '' || !canShare(context)) return false
      // A longer text is shared as a file, because a message has a size limit.
      if (isTooLong(context, trimmed)) {
        const file = new File([trimmed], `${t`Text`}.txt`, { type: 'text/plain' })
        shareTogether([{ ...outgoing(file), ...addressee(to) }], at)
      } else {
        const { message, extra } = textMessage(trimmed)
        const id = newItemId()
        land(context, [id], at)
        share(context, id, message, extra, { to })
      }
      return true
    },
    shareNote(root) {
      if (isNoteTooLarge(root) || !canShare(context)) return false
      const { message, extra } = richNoteMessage('', root)
      share(context, newItemId(), message, extra)
      return true
    },
    shareFiles(files, { at, to } = {}) {
      if (!canShare(context)) return false
      const shareAll = sharingWith({ at, to })
      if (isBatch(context, files.length))
        shareAll(batchOf(files, newItemId).map(({ file, batch }) => outgoing(file, { batch })))
      else void sharePacked(context, files.length, () => packFiles(files), sharesPacks(shareAll))
      return true
    },
    shareFolders(folders, { at, to } = {}) {
      if (!canShare(context)) return false
      const each = async () => (await Promise.all(folders.map(packFolder))).flat()
      const makePacks = isBatch(context, folders.length) ? each : () => packFolders(folders)
      const count = folders.reduce((sum, { files }) => sum + files.length, 0)
      void sharePacked(context, count, makePacks, sharesPacks(sharingWith({ at, to })))
      return true
    },
    async shareAgain(ids, chosen) {
      if (canShare(context)) await lost.chosen(ids, chosen)
    },
    offerSame: (id, found, tells) => lost.found(id, found, tells),
    shareFileAs: (id, file, to) => shareTogether([{ ...outgoing(file, { id }), ...addressee(to) }]),
    shareCopy({ file, manifest, ...mark }, to) {
      if (canShare(context)) shareTogether([{ ...outgoing(file, { manifest }), to, ...mark }])
    },
    offerAgain({ id, content, to }, file) {
      const offered = { id, file, url: addressOf(file), ...keptOf(content) }
      offer(context, offered)
      known.shared(id, file)
      const hasCopy = content.kind === 'file' && content.url !== null
      if (file instanceof File && !hasCopy && to === undefined)
        copies.storeBeside({ ...offered, file, name: displayName(file.name) })
    },
  }
}

/**
 * Returns what shares files. What is chosen is shown and offered at once; only a copy of it waits for what the beam has
 * room for.
 */
function sharerOf(context: Context, copies: StoredCopies, uploads: UploadNews, known: SharedFiles) {
  return (files: readonly OutgoingFile[], at?: Point) => {
    land(context, cardIdsOf(files), at)
    uploads.began(files)
    for (const { id, file } of files) known.shared(id, file)
    const decide = files.map((file) => ({ id: file.id, store: shareFile(context, copies, uploads, file) }))
    const storeAll = (staying: ReadonlySet<ItemId>) => {
      for (const { id, store } of decide) if (isStillShared(context, id)) store(!staying.has(id))
    }
    const wanted = files.filter(({ to }) => to === undefined)
    const { access, keeping } = context.stores
    if (!isStored(access.getState(), keeping.getState()) || wanted.length === 0) storeAll(new Set())
    else void sayWhatStaysHere(context, wanted).then(storeAll)
  }
}

/** Shares files as one item. They belong to the beam in which they were chosen, so not to one that was entered meanwhile. */
async function sharePacked(
  context: Context,
  files: number,
  makePacks: () => Promise<readonly Pack[]>,
  shareAll: (packs: readonly Pack[]) => void,
): Promise<void> {
  const beam = context.live()
  const packs = await whilePreparing(context.toaster, files, makePacks)
  if (context.live() !== beam || !canShare(context)) return
  shareAll(packs)
}

/** Lets the canvas place items where they were dropped. */
function land({ stores }: Context, ids: readonly ItemId[], at: Point | undefined): void {
  if (at) stores.canvas.setState((state) => reduceCanvas(state, { type: 'dropped', ids, at }), true)
}

function createStoredCopies(context: Context): StoredCopies {
  const { stores } = context
  // The server never refuses an upload for a stale login, so nothing would renew it. `readMe` does.
  const isLoggedIn = () => stores.account.getState().status === 'authenticated'
  const uploadLoggedIn = uploadAfter(async () => isLoggedIn() && (await readMe()), upload)
  const shareStored = (id: ItemId, message: unknown, extra: string) => {
    // Sharing it again would take back a deletion that the server has not confirmed yet.
    if (!context.live()?.deletions.includes(id)) share(context, id, message, extra, notedOf(stores, id))
  }
  const offerStored = (file: OutgoingFile) => offer(context, file)
  const sayNotStored = ({ name }: OutgoingFile, why: 'unreadable' | 'refused') =>
    context.toaster.bad(why === 'unreadable' ? changedText(name) : notStored(name))
  return new StoredCopies(stores, uploadLoggedIn, shareStored, offerStored, sayNotStored, isCopyGone)
}

/** Returns what describes a file that is shared for the first time. */
function outgoingWith(newSeal: () => FileSeal | undefined) {
  return (file: File, more: Partial<Pick<OutgoingFile, 'id' | 'batch' | 'manifest'>> = {}): OutgoingFile => {
    const seal = newSeal()
    return { id: newItemId(), file, name: displayName(file.name), url: addressOf(file), seal, ...more }
  }
}

/** Returns the ids of the cards that files are shown as: files of a batch are one. */
function cardIdsOf(files: readonly OutgoingFile[]): readonly ItemId[] {
  return [...new Set(files.map(({ id, batch }) => batch?.id ?? id))]
}

/** Returns what stays the same when a file is offered again: with its seal, its bytes are those that others have of it. */
function keptOf(content: ItemContent): Pick<OutgoingFile, 'batch' | 'manifest' | 'seal'> {
  if (content.kind !== 'file') return {}
  const { batch, manifest, seal } = content
  return { batch, manifest, seal }
}

/** Whether an item was neither deleted, nor its beam left. */
function isStillShared({ stores }: Context, id: ItemId): boolean {
  return stores.transfers.getState().transfers[id] !== undefined
}

/** Shows a file at once, and offers it if a device can take it. Returns what stores a copy, if there is room for one. */
function shareFile(
  context: Context,
  copies: StoredCopies,
  uploads: UploadNews,
  outgoing: OutgoingFile,
): (hasRoom: boolean) => void {
  const session = context.stores.session.getState()
  // The server keeps no copy of what is for one device.
  const isForOne = outgoing.to !== undefined
  if (isForOne || session.status !== 'set' || !copies.comesFirst(outgoing)) {
    offerFile(context, outgoing)
    return (hasRoom) => {
      if (hasRoom && !isForOne) copies.storeBeside(outgoing)
    }
  }
  const { beamId } = session.session
  copies.show(outgoing)
  // Plain devices cannot open a sealed copy: theirs are offered from here (E12).
  context.transfers.hold(outgoing.id, outgoing.file)
  return (hasRoom) =>
    hasRoom ? storeFirst(context, copies, uploads, outgoing, beamId) : offerFile(context, outgoing)
}

function storeFirst(
  context: Context,
  copies: StoredCopies,
  uploads: UploadNews,
  outgoing: OutgoingFile,
  beam: BeamId,
): void {
  copies.storeFirst(outgoing, beam, (end) => {
    if (end === 'stored') return uploads.arrived(outgoing.id, outgoing.name)
    if (end === 'unreadable') {
      // No device can receive it from here either.
      forget(context, outgoing.id)
      return context.toaster.bad(changedText(outgoing.name))
    }
    context.toaster.bad(t`Failed to upload!`)
    // Nothing is lost: the file waits for a device, as other files do.
    offerFile(context, outgoing)
    // A file that the server refused would be refused again.
    if (end === 'unreachable') copies.storeBeside(outgoing)
  })
}

/** Shares a file that devices receive directly from here. */
function offerFile(context: Context, outgoing: OutgoingFile): void {
  const { message, extra } = messageOf(outgoing)
  offer(context, outgoing)
  const { to, isClear } = outgoing
  share(context, outgoing.id, message, extra, { to, isClear, ...notedOf(context.stores, outgoing.id) })
}

function offerLost(context: Context, copies: StoredCopies, { id, content, to }: FileItem, file: File): void {
  const offered = { id, file, name: content.name, url: addressOf(file), ...keptOf(content) }
  offer(context, offered)
  context.live()?.offersAgain?.(id)
  if (to === undefined) copies.storeBeside(offered)
}

function notStored(full: string): string {
  const name = shortName(full)
  return t`“${name}” stays on this device only: the server did not store a copy.`
}

/** Lets devices receive a file from here under an item. */
function offer(
  { stores, transfers }: Context,
  { id, file, url, seal }: Pick<OutgoingFile, 'id' | 'url' | 'seal'> & { file: Blob },
): void {
  transfers.tell({ do: 'offer', id, file, seal })
  stores.transfers.setState((state) => reduceTransfers(state, { type: 'offering', id, url }), true)
}

/** Creates a blob URL for a file. It is revoked when the transfer is removed. */
function addressOf(file: Blob): string {
  return createBlobUrl(file.slice(0, file.size, safeType(file.type)))
}

/** Removes an item that only this device knows, with its transfer. */
export function forget({ stores }: Pick<Context, 'stores'>, id: ItemId): void {
  const event = { type: 'deleted', message: null, id } as const
  stores.items.setState((state) => reduceItems(state, event), true)
  stores.transfers.setState((state) => reduceTransfers(state, { type: 'forgotten', id }), true)
}

/** Returns why nothing can be shared from here; null when sharing is possible. */
export function whyNotShare({ stores, live }: Pick<Context, 'stores' | 'live'>): string | null {
  if (!live()) return t`Join a beam first, then share.`
  if (whyGone(stores.connection.getState()))
    return t`This beam is closed here. Make or join another one, then share.`
  return mayShare(stores.access.getState()) ? null : t`You can only read in this beam.`
}

function canShare(context: Context): boolean {
  const refusal = whyNotShare(context)
  if (refusal) context.toaster.bad(refusal)
  return refusal === null
}

interface ShareOptions {
  /** Shown until the server's echo. */
  readonly at?: number
  /** The only other device that gets it (S33). An item that exists stays between the devices that have it. */
  readonly to?: DeviceId | undefined
  /** It is the content of an item that came in clear text (E12). What is shared under the id of one is. */
  readonly isClear?: true | undefined
  /** The devices that a person had chosen to send in clear text to (E12). */
  readonly inClearTo?: readonly DeviceId[]
}

/**
 * Shows an item at once and sends it. The server's echo gives it its place in the order; an existing id replaces that
 * item (S9).
 */
export function share(
  { stores, live }: Pick<Context, 'stores' | 'live'>,
  id: ItemId,
  message: unknown,
  extra: string,
  {
    at = Date.now(),
    to = addresseeOf(stores, id),
    isClear = find(stores, id)?.isClear,
    inClearTo: chosen = [...stores.clearCopies.getState().to],
  }: ShareOptions = {},
): void {
  const item = {
    ...pendingItem(id, message, extra, at, to),
    ...(isClear && { isClear }),
    ...inClearTo(chosen),
  }
  stores.items.setState((state) => reduceItems(state, { type: 'shared', item }), true)
  if (isClear) live()?.cameClear?.(id)
  live()?.share(id, message, extra, to, chosen)
}

/** What was chosen when an item was shared, for when its file is stored or offered later. Copies that are there need no change. */
function notedOf(stores: Context['stores'], id: ItemId): Pick<ShareOptions, 'inClearTo'> {
  const item = find(stores, id)
  return item ? { inClearTo: item.inClearTo ?? [] } : {}
}

/** Returns the other device that has an item of this device's; undefined for an item that everybody has. */
export function addresseeOf(stores: Context['stores'], id: ItemId): DeviceId | undefined {
  const item = find(stores, id)
  const isForMe = item?.to !== undefined && item.to === stores.devices.getState().me
  return isForMe ? (item.from ?? undefined) : item?.to
}

function find({ items }: Pick<Context['stores'], 'items'>, id: ItemId): Item | undefined {
  return items.getState().items.find((one) => one.id === id)
}

/** Whether the content of a rich note is larger than a note may be. */
export function isNoteTooLarge(root: RootNode): boolean {
  return new TextEncoder().encode(JSON.stringify(root)).byteLength > MAX_NOTE_STATE_BYTES
}

/** Whether a text is longer than a message may be. */
export function isTooLong({ stores }: Pick<Context, 'stores'>, text: string): boolean {
  const room = stores.limits.getState().message_bytes - ENVELOPE_BYTES
  const most = mayBeSealed(stores.encryption.getState()) ? room * SEALED_SHARE : room
  return new TextEncoder().encode(JSON.stringify(text)).byteLength > most
}
