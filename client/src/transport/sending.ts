/** Owns every file that this device offers, and its transfer to each device. */
import type { DeviceId, ItemId } from '../protocol/bindings'
import { type ChunkRange, ChunkSet } from '../protocol/chunk-set'
import type { CancelReason, Frame } from '../protocol/frames'
import type { FileSeal } from '../protocol/item'
import type { PieceHash } from '../protocol/piece-checks'
import { STALL_MS } from '../protocol/stall-clock'
import type { TransferFailure } from '../protocol/transfer-failure'
import type { Hash } from './blake3'
import { cancelledByThem } from './cancelled'
import type { EngineEvent, Progress } from './engine-messages'
import type { Link } from './link'
import { MissedFiles } from './missed-files'
import { blobSource, OfferedFile, type PieceMemory } from './offered-file'
import { type Addressee, Outgoing } from './outgoing'
import { PieceHashes } from './piece-hashes'
import { pump } from './pump'
import type { RemoteDevice } from './remote-device'

/**
 * A transfer of which nothing was wanted for so long waits for its device, which may have begun anew without a word.
 * At 64 kbit/s a full `want` takes as long to arrive before the next one comes.
 */
const QUIET_MS = 4 * STALL_MS

interface Offer {
  readonly file: OfferedFile
  /** Returns those of some chunks that are here. */
  readonly within: (range: ChunkRange) => readonly ChunkRange[]
  /** Whether this device has shared it. What it passes on is not reported to the page. */
  readonly isOwn: boolean
  /** The transfer to each device. A device that wants the file again after an end begins a new one. */
  readonly to: Map<RemoteDevice, Outgoing>
  /** Whether its person has paused it for all, also for those that have not wanted any of it yet (F18). */
  isPaused: boolean
  /**
   * The devices for which its person has cancelled it before they wanted any of it: they may wait for its turn, or have wanted
   * it of an earlier worker.
   */
  readonly refused: Set<DeviceId>
  /** Those for which they have paused it before: it was so in an earlier worker. */
  readonly pausedFor: Set<DeviceId>
}

export class Sending {
  readonly #offers = new Map<ItemId, Offer>()
  readonly #missed = new MissedFiles()
  readonly #hashes = new PieceHashes()

  constructor(
    readonly say: (event: EngineEvent) => void,
    readonly hash: Hash,
    readonly memory: PieceMemory,
    /** The other devices. */
    readonly devices: () => Iterable<RemoteDevice>,
    readonly now: () => number,
  ) {}

  offer(id: ItemId, blob: Blob, seal?: FileSeal): void {
    this.#offers.get(id)?.file.forget()
    const onHash = (piece: number, hash: PieceHash) =>
      this.#hashes.made(this.#offers.get(id)?.to.values() ?? [], piece, hash)
    const file = new OfferedFile(blobSource(blob, seal), this.memory, this.hash, onHash)
    this.#offers.set(
      id,
      newOffer(file, (range) => [range], true),
    )
  }

  /** Passes on a file that another device has shared (F20). */
  pass(id: ItemId, file: OfferedFile, within: Offer['within']): void {
    if (this.#offers.get(id)?.isOwn) return
    this.unpass(id)
    this.#offers.set(id, newOffer(file, within, false))
  }

  /** Passes a file on no more. */
  unpass(id: ItemId): void {
    if (this.#offers.get(id)?.isOwn === false) this.forget(id)
  }

  /** A device asks for the hashes of pieces. */
  async asked(device: RemoteDevice, frame: Extract<Frame, { type: 'ask' }>): Promise<void> {
    const offer = this.#offers.get(frame.transfer)
    if (!offer) device.say(this.#gone(device, frame.transfer))
    if (!offer?.isOwn) return
    const known = offer.to.get(device)
    const outgoing = known && !known.hasEnded ? known : new Outgoing(frame.transfer, offer.file, device)
    const isRead = await this.#hashes.asked(outgoing, frame)
    // It was cancelled or withdrawn meanwhile.
    if (isRead || outgoing.hasEnded || this.#offers.get(frame.transfer) !== offer) return
    this.#endUnreadable(outgoing)
  }

  /** A device wants chunks. They are to be sent on the link on which the frame came (F3). */
  wanted(device: RemoteDevice, link: Link, frame: Extract<Frame, { type: 'want' }>): void {
    const offer = this.#offers.get(frame.transfer)
    if (!offer) return link.say(this.#gone(device, frame.transfer))
    // The device has not yet heard of the cancel.
    if (device.isEnding(frame.transfer)) return
    this.#missed.remove(device.id, frame.transfer)
    const outgoing = this.#outgoing(offer, frame.transfer, device)
    if (offer.refused.delete(device.id)) return this.#cancel(outgoing)
    if (outgoing.state === 'paused') return this.#sayPaused(outgoing)
    const range = outgoing.sender.within(frame)
    if (range) this.#count(outgoing, range, offer)
    const ranges = range ? offer.within(range) : []
    if (ranges.length === 0) {
      // What is passed on may have been found to be wrong since it was named.
      if (!offer.isOwn) link.say({ type: 'cancel', transfer: frame.transfer, reason: 'gone' })
      return
    }
    outgoing.state = 'moving'
    outgoing.busyAt = this.now()
    for (const one of ranges) link.queue.want(outgoing, one)
    void pump(link, (unreadable) => this.#endUnreadable(unreadable))
  }

  /** The file can no longer be read, or has changed on the disk (F19). */
  #endUnreadable(outgoing: Outgoing): void {
    const why: TransferFailure = { reason: 'changed' }
    this.#end(outgoing, { status: 'failed', bytes: outgoing.sender.sent, why }, 'gone')
  }

  #count(outgoing: Outgoing, range: ChunkRange, offer: Offer): void {
    const { sender } = outgoing
    const isBegun = sender.sent > 0
    sender.wanted(range, this.#isAlone(offer, outgoing))
    // Told before any of it moves, so that what the device had before does not count for the speed.
    if (!isBegun && sender.sent > 0) this.#say(outgoing, { status: 'parked', bytes: sender.sent })
  }

  /**
   * Whether no other device that is here is known to receive a file: several of them want its pieces in any order (F20). A program
   * that was restarted may be another device, beside which its earlier run counts no more.
   */
  #isAlone({ to }: Offer, outgoing: Outgoing): boolean {
    const receives = (device: RemoteDevice) => to.has(device) || this.#missed.has(device.id, outgoing.id)
    const isOther = (device: RemoteDevice) => device.id !== outgoing.to.id && device.isListed
    return ![...this.devices()].some((device) => isOther(device) && receives(device))
  }

  /** Returns the answer to a device that wants a file which is not here. */
  #gone(device: RemoteDevice, transfer: ItemId): Extract<Frame, { type: 'cancel' }> {
    this.#misses(device, transfer)
    this.say({ say: 'missed', id: transfer, device: device.id })
    return { type: 'cancel', transfer, reason: 'gone' }
  }

  #misses(device: RemoteDevice, id: ItemId): void {
    this.#missed.add(device.id, id)
    device.misses(id)
  }

  /**
   * Tells a device which of the files that it missed are here now, until it wants them, and each again only where the link is lost
   * on which that was said: there may be a thousand. And on every link which files go on of which it wants nothing, because it may
   * have told their end before a `want` for them arrived on another link (F7).
   */
  sayOffered(device: RemoteDevice): void {
    const missed = this.#missed.of(device.id)
    for (const id of missed) if (!device.wasOffered(id)) this.#sayOffered(device, id)
    for (const [id, { to }] of this.#offers)
      if (to.get(device)?.isIdle && !missed.has(id)) this.#sayOffered(device, id)
  }

  /** Tells a device that a file is here if it missed that one. */
  sayIfMissed(device: RemoteDevice, id: ItemId): void {
    if (this.#missed.has(device.id, id)) this.#sayOffered(device, id)
  }

  /** A device has heard that a transfer ended or paused, perhaps late: what goes on here goes on there too. */
  heardEnd(device: RemoteDevice, id: ItemId): void {
    const offer = this.#offers.get(id)
    if (offer?.isOwn === false) return
    const outgoing = offer?.to.get(device)
    // Of two pauses that crossed, each end may have heard the other's late: whose person pauses it still says so again.
    if (outgoing?.isUnderWay || outgoing?.state === 'pausedThere') this.#sayOffered(device, id)
    else this.sayIfMissed(device, id)
  }

  #sayOffered(device: Addressee, id: ItemId): void {
    // What the device has not heard of could arrive after this, and end it.
    if (this.#offers.get(id)?.isOwn && !device.isEnding(id)) device.say({ type: 'offered', transfer: id })
  }

  /** The person pauses the transfer, to one device or to all (null). */
  pause(id: ItemId, device: DeviceId | null): void {
    const offer = this.#ownOf(id)
    const transfers = this.#transfersOf(id, device)
    if (offer && device === null) offer.isPaused = true
    else if (offer && device !== null && transfers.length === 0) offer.pausedFor.add(device)
    for (const [, outgoing] of transfers) {
      if (outgoing.hasEnded || outgoing.state === 'paused') continue
      this.#pause(outgoing)
      this.#sayPaused(outgoing)
    }
  }

  #pause(outgoing: Outgoing): void {
    this.#forgetQueued(outgoing)
    outgoing.state = 'paused'
    this.#missed.remove(outgoing.to.id, outgoing.id)
    this.#say(outgoing, { status: 'paused', bytes: outgoing.sender.sent, by: 'me' })
  }

  #sayPaused({ to, id: transfer }: Outgoing): void {
    to.end({ type: 'cancel', transfer, reason: 'paused' }, this.now())
  }

  /** The person goes on with what an earlier worker may have paused. */
  resumeFor(device: RemoteDevice, id: ItemId): void {
    if (!this.#offers.get(id)?.to.has(device)) this.#sayOffered(device, id)
  }

  /** The person goes on with what was paused here. The device then wants the rest. */
  resume(id: ItemId, device: DeviceId | null): void {
    const offer = this.#ownOf(id)
    // Also those that come later are to get what goes on for one.
    if (offer) offer.isPaused = false
    // Those that an earlier worker has paused know of none that goes on.
    for (const to of this.devices())
      if (offer?.pausedFor.has(to.id) && (device ?? to.id) === to.id && !offer.to.has(to)) {
        this.#misses(to, id)
        this.#sayOffered(to, id)
      }
    if (device === null) offer?.pausedFor.clear()
    else offer?.pausedFor.delete(device)
    for (const [to, outgoing] of this.#transfersOf(id, device)) {
      if (outgoing.state !== 'paused') continue
      this.#misses(to, id)
      this.#park(outgoing)
    }
  }

  #outgoing(offer: Offer, id: ItemId, device: RemoteDevice): Outgoing {
    const known = offer.to.get(device)
    if (known && !known.hasEnded) return known
    const outgoing = new Outgoing(id, offer.file, device)
    offer.to.set(device, outgoing)
    this.#hashes.tell(outgoing)
    if (offer.pausedFor.delete(device.id) || offer.isPaused) this.#pause(outgoing)
    return outgoing
  }

  /** A device has the whole file. It may say so more than once. */
  done(device: RemoteDevice, id: ItemId): void {
    const offer = this.#offers.get(id)
    if (!offer) return this.#doneElsewhere(device, id)
    if (!offer.isOwn) return
    // Nothing of an empty file is ever wanted.
    const outgoing = offer.to.get(device) ?? this.#outgoing(offer, id, device)
    if (outgoing.state === 'done') return
    this.#stop(outgoing, 'done')
    const via = outgoing.via(this.now())
    this.#say(outgoing, { status: 'done', file: null, twice: outgoing.sender.twice, via })
  }

  /** A device has the whole of a file that is not here, as after a reload: from others, or from an earlier page. */
  #doneElsewhere(device: RemoteDevice, id: ItemId): void {
    this.#missed.remove(device.id, id)
    const progress = { status: 'done', file: null, twice: 0, via: null } as const
    this.say({ say: 'sending', id, device: device.id, progress })
  }

  cancelledByThem(device: RemoteDevice, id: ItemId, reason: CancelReason): void {
    // Only who gives a file says so, and it may go on to receive it.
    if (reason === 'gone') return
    const outgoing = this.#offers.get(id)?.to.get(device)
    if (!outgoing || outgoing.hasEnded) return
    const progress = cancelledByThem(reason, outgoing.sender.sent)
    if (reason !== 'paused') return this.#end(outgoing, progress, null)
    this.#missed.remove(device.id, id)
    // What both have paused goes on when both do.
    if (outgoing.state === 'paused') return
    this.#forgetQueued(outgoing)
    outgoing.state = 'pausedThere'
    this.#say(outgoing, progress)
  }

  /** The person cancelled, for one device or for all (null). */
  cancel(id: ItemId, device: DeviceId | null): void {
    const offer = this.#ownOf(id)
    const transfers = this.#transfersOf(id, device)
    // Its transfer was one of an earlier worker, of which this one knows nothing.
    if (offer && device !== null && transfers.length === 0) {
      offer.pausedFor.delete(device)
      offer.refused.add(device)
    }
    if (offer && device === null) {
      offer.isPaused = false
      offer.pausedFor.clear()
      for (const one of this.devices()) if (!offer.to.has(one)) offer.refused.add(one.id)
    }
    for (const [, outgoing] of transfers) if (!outgoing.hasEnded) this.#cancel(outgoing)
  }

  #cancel(outgoing: Outgoing): void {
    this.#end(outgoing, { status: 'cancelled', by: 'me' }, 'person')
  }

  /** Returns a file that this device has shared. */
  #ownOf(id: ItemId): Offer | null {
    const offer = this.#offers.get(id)
    return offer?.isOwn ? offer : null
  }

  /** @param device null for the transfers to all of them */
  #transfersOf(id: ItemId, device: DeviceId | null): readonly (readonly [RemoteDevice, Outgoing])[] {
    const all = [...(this.#ownOf(id)?.to ?? [])]
    return device === null ? all : all.filter(([to]) => to.id === device)
  }

  /** Withdraws a deleted item's file. The page is not told, because it knows. */
  forget(id: ItemId): void {
    const offer = this.#offers.get(id)
    offer?.file.forget()
    this.#offers.delete(id)
    // What others have of it stays there, because a deletion may be taken back. What was only passed on may still be received
    // from the same device, which must not be told that this ends too.
    for (const outgoing of offer?.to.values() ?? []) {
      if (!outgoing.hasEnded) this.#stop(outgoing, 'cancelled', 'gone')
    }
  }

  /** Ends what is sent to a device when the server forbids it and there is no other link. */
  forbidden(device: RemoteDevice): void {
    const why: TransferFailure = { reason: 'readOnly' }
    for (const outgoing of this.#movingTo(device))
      this.#end(outgoing, { status: 'failed', bytes: outgoing.sender.sent, why }, 'gone')
  }

  /** Ends what was being sent to a device that may no longer be in the beam. */
  removed(device: RemoteDevice): void {
    this.#missed.forget(device.id)
    for (const { to } of this.#offers.values()) {
      const outgoing = to.get(device)
      if (outgoing && !outgoing.hasEnded) this.#end(outgoing, { status: 'cancelled', by: 'me' }, null)
    }
  }

  /** Tells a device that the server dropped frames to it, so that it wants them again (F11). */
  sayDropped(device: RemoteDevice): void {
    for (const outgoing of this.#movingTo(device)) {
      // It wants again what has not arrived, so also what still waits here.
      device.relay.queue.forget(outgoing)
      device.relay.say({ type: 'dropped', transfer: outgoing.id })
    }
  }

  /** Whether anything is being sent to a device. */
  isMovingTo(device: RemoteDevice): boolean {
    return this.#movingTo(device).next().value !== undefined
  }

  /** Whether any remembered transfer is with this device. */
  knows(device: RemoteDevice): boolean {
    return [...this.#offers.values()].some(({ to }) => to.has(device))
  }

  /** A device left: its transfers wait for it. */
  park(device: RemoteDevice): void {
    for (const outgoing of this.#movingTo(device)) this.#park(outgoing)
  }

  /** What was wanted on a link is void. Transfers that are not wanted on another wait for the device. */
  lostLink(device: RemoteDevice): void {
    for (const outgoing of this.#movingTo(device)) if (!outgoing.isWanted) this.#park(outgoing)
  }

  #park(outgoing: Outgoing): void {
    outgoing.state = 'parked'
    // Some may be lost with the link, and a page that begins anew knows none.
    outgoing.told = new ChunkSet()
    this.#say(outgoing, { status: 'parked', bytes: outgoing.sender.sent })
    this.#sayOffered(outgoing.to, outgoing.id)
  }

  /** Reports the progress of each file to a device. */
  sayProgress(device: RemoteDevice): void {
    const now = this.now()
    const unsent = device.links.reduce((sum, { wire }) => sum + wire.unsent, 0)
    const moving = [...this.#movingTo(device)]
    for (const outgoing of moving) {
      if (unsent > 0 || outgoing.isWanted) outgoing.busyAt = now
      if (now - outgoing.busyAt > QUIET_MS) {
        this.#park(outgoing)
        continue
      }
      this.#hashes.tell(outgoing)
      // Files take turns of one frame, so each has its part of what has not left this device yet.
      const bytes = Math.max(0, outgoing.sender.sent - unsent / moving.length)
      const bytesPerSecond = outgoing.speed.sample(bytes, now)
      const { twice } = outgoing.sender
      this.#say(outgoing, { status: 'moving', bytes, bytesPerSecond, twice, via: outgoing.via(now) })
    }
  }

  *#movingTo(device: RemoteDevice): Generator<Outgoing, undefined> {
    for (const { to } of this.#offers.values()) {
      const outgoing = to.get(device)
      if (outgoing?.state === 'moving') yield outgoing
    }
  }

  /** @param reason the reason to send to the other device; null when it already knows */
  #end(outgoing: Outgoing, progress: Progress, reason: CancelReason | null): void {
    this.#stop(outgoing, progress.status === 'failed' ? 'failed' : 'cancelled', reason)
    this.#say(outgoing, progress)
  }

  #stop(outgoing: Outgoing, how: 'done' | 'cancelled' | 'failed', reason: CancelReason | null = null): void {
    const { to, id } = outgoing
    outgoing.state = how
    this.#forgetQueued(outgoing)
    if (reason) to.end({ type: 'cancel', transfer: id, reason }, this.now())
  }

  /** Nothing of it that was wanted is sent any more. */
  #forgetQueued(outgoing: Outgoing): void {
    for (const link of outgoing.to.links) link.queue.forget(outgoing)
  }

  #say(outgoing: Outgoing, progress: Progress): void {
    if (this.#offers.get(outgoing.id)?.isOwn === false) return
    this.say({ say: 'sending', id: outgoing.id, device: outgoing.to.id, progress })
  }
}

function newOffer(file: OfferedFile, within: Offer['within'], isOwn: boolean): Offer {
  return { file, within, isOwn, to: new Map(), isPaused: false, refused: new Set(), pausedFor: new Set() }
}
