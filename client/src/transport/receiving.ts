/** Owns every file that this device receives: whose turn it is, and what is wanted on which link. */

import type { ItemId } from '../protocol/bindings'
import type { CancelReason, Frame } from '../protocol/frames'
import type { UnfinishedFile } from '../protocol/unfinished-file'
import { cancelledByThem } from './cancelled'
import type { EngineEvent, IncomingFile } from './engine-messages'
import type { SourceOut } from './givers'
import { Incoming, type Means } from './incoming'
import type { IncomingEvents } from './incoming-events'
import { IncomingFiles } from './incoming-files'
import type { Link } from './link'
import type { PassingOn } from './passing-on'
import { ReceivingEnds } from './receiving-ends'
import { ReceivingReports } from './receiving-reports'
import type { RemoteDevice } from './remote-device'
import { type Begun, Searches } from './searches'
import type { ReceivedBytes } from './sinks/sink'
import { StoredCopies } from './stored-copies'
import { STORED } from './stored-link'
import { areOfSource, Swarming } from './swarming'
import { Wanting } from './wanting'

export class Receiving {
  /** By item. An ended transfer stays until its item goes or is received again. */
  readonly #transfers = new IncomingFiles()
  readonly #events: IncomingEvents<Incoming>
  readonly #searches: Searches
  readonly #reports: ReceivingReports
  readonly #stored: StoredCopies
  readonly swarming: Swarming
  readonly #wanting: Wanting
  readonly #ends: ReceivingEnds

  /**
   * @param devices the other devices
   * @param onBegun called when a file begins to be received
   */
  constructor(
    readonly say: (event: EngineEvent) => void,
    readonly files: ReceivedBytes,
    readonly means: Means,
    readonly passing: PassingOn,
    devices: () => Iterable<RemoteDevice>,
    readonly now: () => number,
    readonly onBegun: () => void,
  ) {
    this.#reports = new ReceivingReports(say, now)
    this.#stored = new StoredCopies(means.readStored, now)
    this.swarming = new Swarming(
      this.#transfers,
      passing,
      devices,
      {
        onRoom: (incoming) => this.#wanting.refillAll(incoming),
        onGiver: (incoming) => {
          if (incoming.isQueued) this.#wanting.beginNext(incoming.source)
          this.#wanting.refillAll(incoming)
          this.onBegun()
        },
        onDamaged: (incoming) => {
          const why = { reason: 'damaged' } as const
          this.#ends.end(incoming, { status: 'failed', bytes: incoming.received, why }, 'person')
        },
      },
      now,
    )
    this.#wanting = new Wanting(this.#transfers, files.open, this.swarming, this.#stored, now)
    this.#ends = new ReceivingEnds(
      this.#transfers,
      files,
      passing,
      this.#stored,
      this.#wanting,
      this.#reports,
      now,
    )
    this.#searches = new Searches((file, picked) => files.find(file, picked))
    this.#events = {
      onRoom: (incoming) => this.#hasRoom(incoming),
      onHead: ({ file: { id } }, bytes) => this.say({ say: 'head', id, bytes }),
      onLacking: (incoming) => {
        this.swarming.asks(incoming)
        this.#stored.look(incoming)
      },
      onWrong: (incoming, piece, givers) => {
        // Where another device gave a part as well, nobody knows which of the two is wrong.
        if (areOfSource(givers, incoming) && givers.includes(STORED)) this.#stored.ban(incoming)
        this.swarming.wrong(incoming, piece, givers)
      },
      onUnopened: (incoming, giver) => {
        if (giver === STORED) this.#stored.ban(incoming)
        this.swarming.unopened(incoming, giver)
      },
      onBroken: (incoming, why) => this.#ends.broke(incoming, why),
    }
  }

  /** Receives a file, unless it was received before and the person has not picked another place for it. */
  receive(file: IncomingFile, picked: FileSystemFileHandle | null, source: RemoteDevice): void {
    const earlier = this.#transfers.get(file.id)
    // Its source may have come back, and it may have gone on by itself, while the person was picking the place.
    if (picked && earlier && !earlier.hasEnded) {
      // All of it is here, also where its source is not.
      if (earlier.isFinishing) return void earlier.dropOther(picked)
      this.#ends.replaced(earlier)
    }
    this.#find(
      file,
      picked,
      () => source,
      (found, isPaused) =>
        this.#begin(
          new Incoming(file, picked, source, this.#events, this.means, found?.bytes),
          isPaused || (found?.isPaused ?? false),
        ),
    )
  }

  /** Finds a file that was received before, and goes on with one of which a part was. */
  look(file: IncomingFile, source: () => RemoteDevice): void {
    if (this.#isMoving(file.id)) return
    this.#find(file, null, source, (found, isPaused) => {
      if (!found || found.bytes === 0) return this.#reports.say(file.id, { status: 'offered' })
      const incoming = new Incoming(file, null, source(), this.#events, this.means, found.bytes)
      this.#begin(incoming, isPaused || found.isPaused)
    })
  }

  /** @param otherwise called with what is here when the file is not complete, and with whether it was paused meanwhile */
  #find(
    file: IncomingFile,
    picked: FileSystemFileHandle | null,
    source: () => RemoteDevice,
    otherwise: (begun: Begun | null, isPaused: boolean) => void,
  ): void {
    if (this.#isMoving(file.id)) return otherwise(null, false)
    this.#searches.begin(file, picked, {
      onComplete: (whole) => {
        const { means } = this
        this.#ends.found(
          new Incoming({ ...file, head: undefined }, null, source(), this.#events, means),
          whole,
        )
      },
      onRest: otherwise,
      onCancelled: () => {
        this.#reports.say(file.id, { status: 'cancelled', by: 'me' })
        source().end({ type: 'cancel', transfer: file.id, reason: 'person' }, this.now())
      },
    })
  }

  #begin(incoming: Incoming, isPaused: boolean): void {
    const { file } = incoming
    if (this.#isMoving(file.id)) return
    if (isPaused) {
      incoming.pause('me')
      this.#keepTurn(incoming, true)
    }
    const earlier = this.#transfers.get(file.id)
    if (earlier?.isInterrupted) incoming.checking.follows(earlier.checking)
    this.#transfers.set(file.id, incoming)
    this.#begun(incoming)
  }

  #begun(incoming: Incoming): void {
    this.swarming.begun(incoming)
    this.#reports.waits(incoming)
    this.refill(incoming.source)
    const url = this.#stored.urlOf(incoming)
    if (url !== undefined) this.#learnStored(incoming, url)
    this.onBegun()
  }

  /** The server has a copy of a file that comes here. */
  stored(id: ItemId, url: string): void {
    const incoming = this.#transfers.get(id)
    if (incoming && !incoming.hasEnded) this.#learnStored(incoming, url)
  }

  #learnStored(incoming: Incoming, url: string): void {
    this.#stored.learn(incoming, url)
    if (incoming.isQueued) this.#wanting.beginNext(incoming.source)
    this.onBegun()
  }

  /** Whether anything comes, or may come, from the server's copies, or waits for one that is no good. */
  get hasStored(): boolean {
    return this.#transfers.some((one) => one.isUnderWay && this.#stored.concerns(one))
  }

  /** The person pauses the transfer. What is here of it waits, also for a later page. */
  pause(id: ItemId): void {
    if (this.#searches.turn(id, true)) this.#reports.say(id, { status: 'paused', bytes: 0, by: 'me' })
    const incoming = this.#transfers.get(id)
    if (!incoming || !this.#pause(incoming, 'me')) return
    this.#keepTurn(incoming, true)
    incoming.source.end({ type: 'cancel', transfer: id, reason: 'paused' }, this.now())
  }

  /** Also a later page is to know of it where what was received before is opened only when its turn comes. */
  #keepTurn({ isUntouched, before, file }: Incoming, isPaused: boolean): void {
    if (isUntouched && before > 0) void this.files.turn(file.id, isPaused).catch(() => {})
  }

  /** @returns whether it was not paused or over */
  #pause(incoming: Incoming, by: 'me' | 'them'): boolean {
    if (!incoming.pause(by)) return false
    this.#stored.stop(incoming)
    this.#reports.waits(incoming)
    this.#wanting.refillAll(incoming)
    return true
  }

  /** The person goes on with a transfer. */
  resume(id: ItemId): void {
    if (this.#searches.turn(id, false)) this.#reports.say(id, { status: 'queued', bytes: 0 })
    const incoming = this.#transfers.get(id)
    if (incoming?.pausedBy !== 'me') return
    this.#keepTurn(incoming, false)
    this.#resume(incoming)
  }

  #resume(incoming: Incoming): void {
    incoming.resume()
    this.#begun(incoming)
  }

  /** Whether anything is being received from a device, or waits to be. */
  isMovingFrom(device: RemoteDevice): boolean {
    const mayGive = ({ givers }: Incoming) => givers.of(device) !== null || givers.isResting(device)
    return this.#transfers.some((one) => one.isUnderWay && mayGive(one))
  }

  /** Whether a device gives anything, or shared anything, that is remembered. */
  knows(device: RemoteDevice): boolean {
    return this.#transfers.some(({ givers }) => givers.of(device) !== null)
  }

  /** Begins the files whose turn has come, and wants as much as the links have room for (F4). */
  refill(source: RemoteDevice): void {
    this.#wanting.refill(source)
  }

  chunk(source: RemoteDevice, link: Link, frame: Extract<Frame, { type: 'chunk' }>): void {
    // What is late for an ended transfer also shows that the link carries (L2).
    link.clock.touch(this.now())
    const incoming = this.#transfers.get(frame.transfer)
    const giver = incoming?.givers.of(source)
    if (!incoming) return this.#refuse(source, link, frame.transfer)
    // It was asked before, and may still receive the file from here: no cancel, which would end that too.
    if (!giver) return
    if (incoming.refusal) return incoming.source === source ? this.#ends.unexpected(incoming) : undefined
    const { first, bytes } = frame
    incoming.chunk(first, bytes, source.id, link.key, (length) => {
      const fresh = source.scheduler.arrived(giver, link.key, first, length, this.now())
      // Signs of life and chunks that nobody wanted do not count: it may send them for ever (F20).
      if (fresh.length > 0) giver.gave(this.now())
      return fresh
    })
    incoming.keep(this.now())
    // The link has room again, also while the disk is still writing.
    this.refill(source)
  }

  /** Chunks of a file that does not come here. One that is still searched for may go on, and wants them again then. */
  #refuse(source: RemoteDevice, link: Link, id: ItemId): void {
    if (!this.#searches.has(id)) source.refuse(link, id, this.now())
  }

  /** The server dropped chunks of a file: wants again what has not arrived on this link (F11). */
  dropped(source: RemoteDevice, link: Link, id: ItemId): void {
    const incoming = this.#transfers.get(id)
    if (!incoming?.givers.of(source)) return
    incoming.receiver.lost(link.key)
    this.refill(source)
  }

  /**
   * A device left: its transfers wait for it, unless others give them. Those too that its person has paused: it says so
   * again if it is asked when it comes back (F18).
   */
  park(source: RemoteDevice): void {
    this.swarming.left(source)
    for (const incoming of this.#transfers.values())
      if (incoming.source === source && incoming.pausedBy === 'them') this.#resume(incoming)
    for (const incoming of this.#transfers.from(source)) this.#reports.waits(incoming)
  }

  /** A device may no longer be in the beam, so its files come only from others. */
  removed(source: RemoteDevice): void {
    this.swarming.left(source)
    for (const incoming of [...this.#transfers.values()])
      if (incoming.source === source && !incoming.hasEnded) this.#sourceWent(incoming, 'sourceRemoved')
  }

  #sourceWent(incoming: Incoming, why: SourceOut): void {
    incoming.givers.sourceWent(why)
    this.#ends.endIfGone(incoming)
  }

  /** The other device cancelled the transfer. */
  cancelledByThem(source: RemoteDevice, id: ItemId, reason: CancelReason): void {
    const incoming = this.#transfers.get(id)
    if (!incoming || incoming.hasEnded) return
    if (incoming.source !== source) {
      // For any other reason it receives the file no more from here.
      if (reason === 'gone') this.swarming.gone(incoming, source)
      return
    }
    if (reason === 'paused') return void this.#pause(incoming, 'them')
    if (reason !== 'gone') return this.#ends.end(incoming, cancelledByThem(reason, incoming.received), null)
    this.#sourceWent(incoming, reason)
  }

  /**
   * The source has a file again, or goes on with it. So does this device, unless its person has paused it or given it up, or it
   * has ended here for a reason of its own, of which the source is told again (F7, F17, F18).
   */
  offered(source: RemoteDevice, id: ItemId): void {
    const incoming = this.#transfers.get(id)
    if (incoming?.source !== source) return
    incoming.sourceCame()
    if (incoming.refusal && !incoming.waitsForSource) this.#ends.unexpected(incoming)
    else this.#retry(incoming)
    this.refill(source)
  }

  /** Asks a source that came back for the files that it did not have before, or had paused. */
  retry(source: RemoteDevice): void {
    for (const incoming of [...this.#transfers.values()])
      if (incoming.source === source) this.#retry(incoming)
  }

  #retry(incoming: Incoming): void {
    const { file, picked, source } = incoming
    incoming.sourceCame()
    // Where its copy is may have been told after it had begun.
    const known = { ...file, url: this.#stored.urlOf(incoming) }
    if (incoming.waitsForSource && !this.#searches.has(file.id)) this.receive(known, picked, source)
    if (incoming.pausedBy === 'them') this.#resume(incoming)
  }

  /**
   * The person cancelled the transfer, or gives up one that failed, of which a part may wait on the disk. There may be one also
   * of a file that was still searched for, and of one that failed in an earlier worker, of which this one knows nothing.
   */
  cancel(id: ItemId): void {
    const wasSearched = this.#searches.cancel(id)
    const incoming = this.#transfers.get(id)
    if (incoming && !incoming.hasEnded)
      return this.#ends.end(incoming, { status: 'cancelled', by: 'me' }, 'person')
    if (incoming?.isDone && !wasSearched) return
    this.#transfers.delete(id)
    void this.files.forget(id).catch(() => {})
    if (incoming && !wasSearched) this.#reports.say(id, { status: 'offered' })
  }

  /** Removes a deleted item's transfer and bytes. The page is not told, because it knows. */
  forget(id: ItemId): void {
    // An earlier worker may have received bytes of an item of which this one knows nothing.
    void this.files.forget(id).catch(() => {})
    this.#searches.end(id)
    this.#ends.drop(id, 'cancelled')
  }

  /** Ends the transfer of an item whose beam was left. What is on the disk stays there, complete or not. */
  leave(id: ItemId): void {
    this.#searches.end(id)
    this.#ends.drop(id, 'interrupted')
    // After that: what was interrupted in memory waits there.
    void this.files.leave(id).catch(() => {})
  }

  /** Reports what is on the disk of files that are not complete, of all beams. */
  sayUnfinished(): void {
    const none: readonly UnfinishedFile[] = []
    void this.files
      .unfinished()
      .catch(() => none)
      .then((files) => this.say({ say: 'unfinished', files }))
  }

  /** This device slept: what did not come meanwhile says nothing about those who give it. */
  woke(): void {
    const now = this.now()
    for (const { givers } of this.#transfers.values()) for (const giver of givers.others) giver.gave(now)
  }

  /** Reports the progress of each file that comes, and looks after those who give it. */
  tick(): void {
    const now = this.now()
    for (const incoming of [...this.#transfers.values()]) {
      if (!incoming.isUnderWay) continue
      this.#ends.endIfGone(incoming)
      if (incoming.hasEnded) continue
      this.#stored.look(incoming)
      const isStored = this.#stored.has(incoming)
      // Its source, whose turns it waits for, may not be here, and others give it.
      if (incoming.isQueued && (isStored || incoming.givers.others.length > 0))
        this.#wanting.beginNext(incoming.source)
      if (!isStored && !incoming.givers.isAnyHere && !incoming.givers.isAnyResting) continue
      this.swarming.tick(incoming, now)
      incoming.keep(now)
      this.#reports.moves(incoming)
    }
    this.passing.look()
  }

  #hasRoom(incoming: Incoming): void {
    this.#stored.hasRoom(incoming)
    // Its place has just opened, and nobody is here who could give it.
    if (incoming.receiver.received === 0 && !incoming.givers.isAnyHere) this.#stored.look(incoming)
    if (incoming.isComplete && incoming.isOpen) void this.#ends.complete(incoming)
    this.#wanting.refillAll(incoming)
  }

  /** Whether it is being received, waits for its turn, or is paused. */
  #isMoving(id: ItemId): boolean {
    return this.#transfers.get(id)?.hasEnded === false
  }
}
