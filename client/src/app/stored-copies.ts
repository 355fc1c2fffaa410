/**
 * Uploads copies of files to the server (F9). While no other device is here, the upload comes before the file is
 * shared. As soon as one comes, the file is shared, and the same upload goes on beside what that device receives. In a saved or
 * kept beam a copy is always uploaded, because what the beam shows must outlive this page. Any other beam has copies of media only.
 * From a saved or kept beam the server removes a copy that no item names for ten minutes (H44): none is uploaded as long as its
 * item could not go out.
 */
import { sealedSize } from '../crypto/file-chunks'
import type { BeamId, Device, DeviceId, ItemId, UploadedFile } from '../protocol/bindings'
import {
  type BatchPart,
  type FileSeal,
  fileCategory,
  fileItemMessage,
  type Item,
  pendingItem,
  storedItemMessage,
} from '../protocol/item'
import type { ManifestFacts } from '../protocol/manifest'
import { mayShare } from '../stores/beam-access'
import { inClearTo } from '../stores/clear-copies'
import { fileTakers } from '../stores/devices'
import { waitsForKeys } from '../stores/encryption'
import { reduceItems } from '../stores/items'
import { isStored } from '../stores/keeping'
import type { Stores } from '../stores/stores'
import { reduceTransfers, type Storing } from '../stores/transfers'
import { isOutside } from '../stores/trust'
import { PROGRESS_INTERVAL_MS, Speed } from '../transport/progress'
import type { Upload, UploadEnd } from '../transport/upload'
import { LateItems } from './late-items'
import { Turns } from './turns'

/** Files uploaded at a time before they are shared. More would only divide the same bandwidth. */
const UPLOADS_AT_ONCE = 2
/** A larger file is not sealed whole for a form: its parts are blobs, which some browsers keep in memory. */
const MOST_SEALED_FORM_BYTES = 128 * 1024 * 1024
/** Pause in milliseconds before copies that failed for lack of a server are tried again while the page is connected. */
export const RETRY_AFTER_MS = 20_000

export interface OutgoingFile {
  readonly id: ItemId
  readonly file: File
  readonly name: string
  /** A blob URL of the file. */
  readonly url: string
  /** Absent for a file that is shared alone. */
  readonly batch?: BatchPart | undefined
  /** Present when the file is many files with a manifest (F16). */
  readonly manifest?: ManifestFacts | undefined
  /** Present when its bytes travel and are stored sealed (E7). */
  readonly seal?: FileSeal | undefined
  /** The only other device that gets it (S33). */
  readonly to?: DeviceId
  /** It is that of an item which came in clear text (E12). */
  readonly isClear?: true
}

/** Shares a new item, or replaces one of the same id. */
type Share = (id: ItemId, message: unknown, extra: string) => void

/** Lets devices receive a file from here. */
type Offer = (file: OutgoingFile) => void

/** Says why there is no copy of a file. */
type SayNotStored = (file: OutgoingFile, why: 'unreadable' | 'refused') => void

/** Says whether the server has no copy at an address any more; null when it does not say. */
type IsGone = (url: string) => Promise<boolean | null>

/** A file whose item waits for its upload. */
interface First {
  readonly file: OutgoingFile
  /** Whether its turn has come. */
  isUnderWay: boolean
}

export class StoredCopies {
  readonly #stores: Stores
  readonly #upload: Upload
  readonly #share: Share
  readonly #offer: Offer
  readonly #sayNotStored: SayNotStored
  readonly #cancels = new Map<ItemId, () => void>()
  readonly #turns = new Turns(UPLOADS_AT_ONCE)
  readonly #first = new Map<ItemId, First>()
  /** Files that devices receive from here while they are uploaded. */
  readonly #beside = new Set<ItemId>()
  /** Files that devices receive from here and that were not uploaded yet, in the order of their turns. */
  readonly #held = new Map<ItemId, OutgoingFile>()
  /** Files whose items name their stored copies. */
  readonly #stored = new Map<ItemId, OutgoingFile>()
  readonly #late: LateItems<OutgoingFile>
  /** Those held that the server could not be reached for lately. */
  readonly #unreachable = new Set<ItemId>()
  #retry: ReturnType<typeof setTimeout> | null = null

  constructor(
    stores: Stores,
    upload: Upload,
    share: Share,
    offer: Offer,
    sayNotStored: SayNotStored,
    isGone: IsGone,
  ) {
    this.#stores = stores
    this.#upload = upload
    this.#share = share
    this.#offer = offer
    this.#sayNotStored = sayNotStored
    this.#late = new LateItems<OutgoingFile>(isGone, (file) => this.#storeAnew(file))
    stores.items.subscribe(({ items }) => {
      this.#takeBack(items)
      this.#late.look(items)
    })
    // Not the items, which a lost connection hides.
    stores.transfers.subscribe(() => this.#forgetDeleted())
    stores.devices.subscribe(() => this.#offerFirst())
    // Also runs at each welcome, so that what failed for lack of a network is tried again.
    stores.access.subscribe(() => this.#tryAgain())
    stores.encryption.subscribe(() => this.#storeHeld())
    stores.keeping.subscribe(({ kept }, before) => {
      if (kept !== null && before.kept === null) this.#tryAgain()
    })
  }

  /**
   * Whether a file is uploaded before it is shared: if the server takes it, and no device could receive it directly. For a beam
   * that is neither saved nor kept these are media. It could not tell any other sealed file from one, but the rule is the same;
   * of sealed ones, those of at most 128 MiB, because they are sealed whole before the upload begins. No file of a
   * saved or kept beam is, as long as its item would wait for the keys.
   */
  comesFirst(outgoing: Pick<OutgoingFile, 'file' | 'seal'>): boolean {
    const { file, seal } = outgoing
    const size = seal ? sealedSize(file.size) : file.size
    const { upload_bytes } = this.#stores.limits.getState()
    const most = seal ? Math.min(upload_bytes, MOST_SEALED_FORM_BYTES) : upload_bytes
    const isTakenAnywhere = isMedia(file) && size <= most
    const isTaken = this.#isStored() ? !this.#waitsForKeys() : isTakenAnywhere
    return isTaken && !this.#hasTaker(outgoing)
  }

  #hasTaker({ seal }: Pick<OutgoingFile, 'seal'>): boolean {
    const { devices, trust } = this.#stores
    const isSealed = seal !== undefined
    // A device that nobody has let in takes only what is not sealed.
    const isReached = ({ device_id }: Device) => !isSealed || !isOutside(trust.getState(), device_id)
    return fileTakers(devices.getState(), { isSealed }).some(isReached)
  }

  #isStored(): boolean {
    return isStored(this.#stores.access.getState(), this.#stores.keeping.getState())
  }

  #waitsForKeys(): boolean {
    return waitsForKeys(this.#stores.encryption.getState())
  }

  /** Shows a file that `storeFirst` will upload. */
  show(file: OutgoingFile): void {
    const { message, extra } = messageOf(file)
    const pending = pendingItem(file.id, message, extra, Date.now())
    const item = { ...pending, ...inClearTo(this.#stores.clearCopies.getState().to) }
    const event = { type: 'shared', item } as const
    // Whoever sees the item finds its file.
    this.#put(file, { status: 'moving', sent: 0, bytesPerSecond: 0 })
    this.#stores.items.setState((state) => reduceItems(state, event), true)
  }

  /**
   * Uploads a file that is shown, with its progress, and shares it once the server has it. `onEnd` is called in either case, unless
   * a device comes before that: from then on the file is one that devices receive from here.
   */
  storeFirst(file: OutgoingFile, beam: BeamId, onEnd: (end: UploadEnd['status']) => void): void {
    const { id } = file
    const first: First = { file, isUnderWay: false }
    const tell = progressOf((sent, bytesPerSecond) => {
      if (this.#first.has(id)) this.#put(file, { status: 'moving', sent, bytesPerSecond })
    })
    const ended = (end: UploadEnd) => {
      leave()
      if (!this.#first.delete(id)) return this.#endedBeside(file, end)
      if (end.status === 'stored') {
        this.#put(file, { status: 'done' })
        this.#shareStored(file, end.file)
      }
      onEnd(end.status)
    }
    const cancelled = () => {
      leave()
      this.#leaveBeside(id)
    }
    this.#first.set(id, first)
    tell(0)
    const leave = this.#turns.enter(() => {
      first.isUnderWay = true
      this.#start(file, beam, tell, ended, cancelled)
    })
    // Until its turn comes, there is only the turn to give up.
    if (!this.#cancels.has(id)) this.#cancels.set(id, leave)
    // A device may have come while the server said what it has room for.
    this.#offerFirst()
  }

  /** Shares the files that are uploaded first and that a device can receive from here now. */
  #offerFirst(): void {
    if (this.#first.size === 0) return
    for (const [id, { file, isUnderWay }] of [...this.#first]) {
      if (!this.#hasTaker(file)) continue
      this.#first.delete(id)
      if (isUnderWay) this.#beside.add(id)
      else {
        this.#cancels.get(id)?.()
        this.#cancels.delete(id)
        this.#held.set(id, file)
      }
      const { message, extra } = messageOf(file)
      this.#offer(file)
      this.#share(id, message, extra)
    }
    this.#storeHeld()
  }

  /** Uploads a copy of a file that devices receive from here, now or once the beam is saved or kept. */
  storeBeside(file: OutgoingFile): void {
    this.#held.set(file.id, file)
    this.#storeHeld()
  }

  /**
   * Uploads one file at a time, so that direct transfers keep their part of the bandwidth. One that fails goes behind
   * the others, and is tried again after a pause or at the next welcome.
   */
  #storeHeld(): void {
    const file = [...this.#held.values()].find(({ id }) => !this.#unreachable.has(id))
    const access = this.#stores.access.getState()
    const session = this.#stores.session.getState()
    if (this.#beside.size > 0 || !file || !this.#isStored() || !mayShare(access)) return
    if (this.#waitsForKeys() || session.status !== 'set') return
    this.#beside.add(file.id)
    this.#start(
      file,
      session.session.beamId,
      () => {},
      (end) => this.#endedBeside(file, end),
      () => this.#leaveBeside(file.id),
    )
  }

  #endedBeside(file: OutgoingFile, end: UploadEnd): void {
    this.#held.delete(file.id)
    if (end.status === 'unreachable') {
      this.#unreachable.add(file.id)
      this.#held.set(file.id, file)
      this.#retry ??= setTimeout(() => this.#tryAgain(), RETRY_AFTER_MS)
    }
    if (end.status === 'stored') this.#shareStored(file, end.file)
    const isLacking = end.status === 'unreadable' || end.status === 'refused'
    // In a beam that is not stored nobody misses the copy of a file that devices receive.
    if (isLacking && this.#isStored()) this.#sayNotStored(file, end.status)
    this.#leaveBeside(file.id)
  }

  #leaveBeside(id: ItemId): void {
    if (this.#beside.delete(id)) this.#storeHeld()
  }

  #tryAgain(): void {
    if (this.#retry !== null) clearTimeout(this.#retry)
    this.#retry = null
    this.#unreachable.clear()
    this.#storeHeld()
    this.#late.look(this.#stores.items.getState().items)
  }

  #start(
    outgoing: OutgoingFile,
    beam: BeamId,
    onProgress: (sent: number) => void,
    onEnd: (end: UploadEnd) => void,
    onCancel: () => void = () => {},
  ): void {
    const { id, file } = outgoing
    const seal = this.#sealOf(outgoing)
    const cancel = this.#upload(
      file,
      { id, beam, isStored: this.#isStored(), seal },
      {
        onProgress,
        onEnd: (end) => {
          this.#cancels.delete(id)
          // The beam has turned out to be clear meanwhile: those who cannot open this copy get another one.
          const isUseless = end.status === 'stored' && seal !== this.#sealOf(outgoing)
          if (isUseless) this.#start(outgoing, beam, onProgress, onEnd, onCancel)
          else onEnd(end)
        },
      },
    )
    this.#cancels.set(id, () => {
      cancel()
      onCancel()
    })
  }

  /** Returns the seal of a file, which may have been made before it was known that the beam is clear. */
  #sealOf({ seal }: OutgoingFile): FileSeal | undefined {
    return this.#stores.encryption.getState().kind === 'clear' ? undefined : seal
  }

  /** The server recognizes media only, and nothing that is sealed. Any other file keeps the type that this device knows. */
  #shareStored(outgoing: OutgoingFile, stored: UploadedFile): void {
    const { id, name, file, batch, manifest } = outgoing
    const seal = this.#sealOf(outgoing)
    const type = seal || fileCategory(stored.type) === 'file' ? file.type : stored.type
    const { message, extra } = storedItemMessage({
      name,
      size: seal ? file.size : stored.size,
      type,
      modified: file.lastModified,
      url: stored.url,
      batch,
      manifest,
      seal,
    })
    this.#share(id, message, extra)
    this.#stored.set(id, outgoing)
    this.#late.stored(outgoing, stored.url)
  }

  /** The copy of a file was gone before the server had its item: devices receive it from here, until there is another copy. */
  #storeAnew(gone: OutgoingFile): void {
    const { id } = gone
    // It may have been deleted meanwhile, or be stored anew already.
    if (this.#stored.get(id) !== gone) return
    this.#stored.delete(id)
    const file = { ...gone, seal: this.#sealOf(gone) }
    this.#offerIfStoring(file)
    const { message, extra } = messageOf(file)
    this.#share(id, message, extra)
    this.storeBeside(file)
  }

  /** Lets devices receive a file from here, of which they had the copy alone. */
  #offerIfStoring(file: OutgoingFile): void {
    if (this.#stores.transfers.getState().transfers[file.id]?.role === 'storing') this.#offer(file)
  }

  /**
   * Offers the files whose stored copies went with the keeping (S30), and stores them once the beam is kept again. While it
   * is stored, an item without its address is only an older version.
   */
  #takeBack(items: readonly Item[]): void {
    if (this.#stored.size === 0 || this.#isStored()) return
    for (const { id, content } of items) {
      const stored = this.#stored.get(id)
      if (stored === undefined || content.kind !== 'file' || content.url !== null) continue
      this.#stored.delete(id)
      // Devices open it by what its item says, which has lost the seal where the beam turned out to be clear.
      const file = { ...stored, seal: content.seal }
      this.#offerIfStoring(file)
      this.storeBeside(file)
    }
  }

  /** Cancels the uploads of items that were deleted or whose beam was left. */
  #forgetDeleted(): void {
    if (this.#cancels.size === 0 && this.#held.size === 0 && this.#stored.size === 0) return
    const { transfers } = this.#stores.transfers.getState()
    for (const files of [this.#first, this.#held, this.#stored])
      for (const id of files.keys()) if (!transfers[id]) files.delete(id)
    this.#late.keepOnly((id) => this.#stored.has(id))
    for (const [id, cancel] of this.#cancels) {
      if (transfers[id]) continue
      this.#cancels.delete(id)
      cancel()
    }
  }

  #put({ id, url }: OutgoingFile, state: Storing): void {
    this.#stores.transfers.setState((old) => reduceTransfers(old, { type: 'storing', id, state, url }), true)
  }
}

/** Returns what an item says of a file before the server has a copy of it. */
export function messageOf({ file, name, batch, manifest, seal }: OutgoingFile): {
  message: unknown
  extra: string
} {
  const { size, type, lastModified: modified } = file
  return fileItemMessage({ name, size, type, modified, batch, manifest, seal })
}

function isMedia({ type }: File): boolean {
  return fileCategory(type) !== 'file'
}

/** Reports bytes and speed at the interval of `PROGRESS_INTERVAL_MS`. */
function progressOf(tell: (sent: number, bytesPerSecond: number) => void): (sent: number) => void {
  const speed = new Speed()
  let toldAt = Number.NEGATIVE_INFINITY
  return (sent) => {
    const now = performance.now()
    if (now - toldAt < PROGRESS_INTERVAL_MS) return
    toldAt = now
    tell(sent, speed.sample(sent, now))
  }
}
