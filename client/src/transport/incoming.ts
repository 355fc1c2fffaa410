/** One file that this device receives: the receiver's rules, and the sink for its bytes. */
import type { Bytes } from '../crypto/bytes'
import { CHUNK_BYTES, type DeviceId } from '../protocol/bindings'
import type { ChunkRange } from '../protocol/chunk-set'
import type { CancelReason } from '../protocol/frames'
import { Head } from '../protocol/head'
import { type Checked, without } from '../protocol/piece-checks'
import { chunksOf } from '../protocol/pieces'
import { chunkCount, type LinkKey, Receiver, rangeBytes } from '../protocol/receiver'
import type { Hash } from './blake3'
import { Checking } from './checking'
import { ChunkLayout } from './chunk-layout'
import { close, discard, type Ending, failureOf } from './ending'
import type { IncomingFile } from './engine-messages'
import { Givers } from './givers'
import type { IncomingEvents } from './incoming-events'
import { Keeping } from './keeping'
import { isPassedOn } from './passing-on'
import { Speed } from './progress'
import type { RemoteDevice } from './remote-device'
import { dropPicked } from './save-folder'
import { SealedChunks } from './sealed-chunks'
import type { OpenSink, Part, Sink } from './sinks/sink'
import type { ReadPart } from './stored-link'

type State =
  /** Waits until other files are done. */
  | { at: 'queued' }
  | { at: 'opening' }
  | { at: 'open'; sink: Sink }
  /** `by`: whether the person here has paused it, or the one at its source (F18). */
  | { at: 'paused'; by: 'me' | 'them' }
  | { at: 'finishing' }
  /** `why`: what its source is told when it still sends. */
  | { at: 'ended'; how: Ending; why: CancelReason }

/** What checks and choices are made with. */
export interface Means {
  readonly hash: Hash
  /** A number from 0 to below 1. */
  readonly random: () => number
  readonly readStored: ReadPart
}

export class Incoming {
  readonly receiver: Receiver
  readonly givers: Givers
  readonly checking: Checking
  /** What opens its chunks; null when they come in clear. */
  readonly sealed: SealedChunks | null
  readonly layout: ChunkLayout
  readonly #head: Head | null
  readonly speed = new Speed()
  /** The waiting state last reported to the page, so that each of a thousand waiting files reports once. */
  waits: 'queued' | 'parked' | 'direct' | null = null
  /** Whether the complete file outlives the page. */
  isKept = false
  #state: State = { at: 'queued' }
  /** Whether it had a turn, so that its sink is open or will be. A paused file keeps its sink. */
  #hadTurn = false
  #sink: Sink | null = null
  /** The complete file, once it is being finished. */
  #whole: Promise<Blob | null> | null = null
  /** Counts how often all was lost: chunks that were being opened are then of another file. */
  #era = 0
  readonly #keeping = new Keeping(
    {
      durable: () => this.#certain,
      isPaused: () => this.pausedBy === 'me',
      newlyTold: () => (isPassedOn(this.file) ? this.checking.pieces.newlyTold() : null),
    },
    (error) => this.#broke(error),
  )

  /**
   * @param source the device that has the bytes
   * @param before bytes that an earlier page has received, as far as is known before the sink is open
   */
  constructor(
    readonly file: IncomingFile,
    readonly picked: FileSystemFileHandle | null,
    readonly source: RemoteDevice,
    readonly events: IncomingEvents<Incoming>,
    { hash, random }: Means,
    readonly before = 0,
  ) {
    this.receiver = new Receiver(file.size)
    this.givers = new Givers(this, random)
    this.sealed = SealedChunks.of(file)
    this.layout = new ChunkLayout(file.size, this.sealed !== null)
    this.checking = new Checking(this.receiver, this.sealed?.hashing(hash) ?? hash, random, {
      onChecked: (checked) => this.#checked(checked),
      onLacking: () => this.events.onLacking(this),
      onBroken: (error) => this.#broke(error),
    })
    this.#head = file.head === undefined ? null : new Head(file.head)
  }

  /** Whether every byte is here, and right. */
  get isComplete(): boolean {
    return this.receiver.isComplete && this.checking.pieces.isComplete
  }

  /** Bytes that are durable. */
  get received(): number {
    return this.#sink ? this.receiver.received : this.before
  }

  get isQueued(): boolean {
    return this.#state.at === 'queued'
  }

  /** Whether nothing was opened for it yet. */
  get isUntouched(): boolean {
    return !this.#hadTurn
  }

  /** Who has paused it; null while nobody has. */
  get pausedBy(): 'me' | 'them' | null {
    return this.#state.at === 'paused' ? this.#state.by : null
  }

  get isOpen(): boolean {
    return this.#state.at === 'open'
  }

  /** Whether all of it is here, and is put into its place. */
  get isFinishing(): boolean {
    return this.#state.at === 'finishing'
  }

  get hasEnded(): boolean {
    return this.#state.at === 'ended'
  }

  /** Whether it comes, or waits for its turn or its device. */
  get isUnderWay(): boolean {
    return this.#state.at !== 'ended' && this.#state.at !== 'paused'
  }

  get isDone(): boolean {
    return this.#state.at === 'ended' && this.#state.how === 'done'
  }

  /** What its source is told when it sends although the transfer has ended or waits; null while it may send. */
  get refusal(): CancelReason | null {
    if (this.#state.at === 'ended') return this.#state.why
    return this.pausedBy === 'me' ? 'paused' : null
  }

  /** Whether what was received waits on the disk for its source, which did not have it any more. */
  get waitsForSource(): boolean {
    return this.isInterrupted && this.refusal !== 'noRoom'
  }

  /** Whether what was received waits on the disk: for its source, or for room. */
  get isInterrupted(): boolean {
    return this.#state.at === 'ended' && this.#state.how === 'interrupted'
  }

  /** Begins to receive, or goes on after a pause. */
  open(openSink: OpenSink): void {
    this.#state = { at: 'opening' }
    if (this.#sink) return this.#goOn(this.#sink)
    if (this.#hadTurn) return
    this.#hadTurn = true
    // Also what is there of it may fail to be read.
    void openSink(this.file, this.picked)
      .then((sink) => this.#opened(sink))
      .catch((error: unknown) => this.#broke(error))
  }

  /** Closes a sink that was not open when the transfer ended. Returns whether it has ended. */
  #closesLate(sink: Sink): boolean {
    if (this.#state.at !== 'ended') return false
    close(sink, sink.part?.isBroken ? 'failed' : this.#state.how, null)
    return true
  }

  #opened(sink: Sink): void {
    if (this.#closesLate(sink)) return
    this.#sink = sink
    if (sink.part) this.#resumes(sink, sink.part)
    if (this.#state.at === 'opening') this.#goOn(sink)
    else this.#keeping.enter(sink.part)
  }

  #goOn(sink: Sink): void {
    this.#state = { at: 'open', sink }
    this.events.onRoom(this)
  }

  /** Its source, which had it no more or was away, has it again (F17, F19). */
  sourceCame(): void {
    if (this.givers.sourceOut === null && !this.checking.isUnconfirmed) return
    this.givers.sourceCame()
    // What is being finished was compared whole, and its sink can no longer be read.
    if (!this.hasEnded && !this.isFinishing) this.checking.sourceCame(this.#sink?.read ?? null)
  }

  /**
   * Pauses it: what still arrives is dropped, and requested again later. What the one at its source has paused waits for the person
   * here as well once they pause it. Returns whether that changed anything.
   */
  pause(by: 'me' | 'them'): boolean {
    const { at } = this.#state
    if (this.pausedBy === 'me' || this.pausedBy === by || at === 'finishing' || at === 'ended') return false
    this.#state = { at: 'paused', by }
    this.waits = null
    // Before anything expected is forgotten: those that still owe chunks are told.
    this.givers.end()
    this.receiver.lostAll()
    if (this.#sink) {
      this.#keeping.enter(this.#sink.part)
      this.#keeping.enterHashes(this.#sink.part)
    }
    return true
  }

  /** Lets it wait for its turn again. */
  resume(): void {
    if (this.#state.at !== 'paused') return
    this.#state = { at: 'queued' }
    if (this.#sink) this.#keeping.enter(this.#sink.part)
  }

  #resumes({ read }: Sink, { before, hashes }: Part): void {
    this.receiver.resumes(before)
    if (hashes) this.checking.pieces.wasTold(hashes.before)
    this.checking.resumes(before, read)
    if (!read) return
    for (const range of before) {
      const head = this.#head?.resumes(range.first * CHUNK_BYTES, rangeBytes(range, this.file.size), read)
      if (head) this.events.onHead(this, head)
    }
  }

  #checked({ piece, check }: Checked): void {
    // It ended while the piece was being hashed.
    if (this.hasEnded) return
    if (check.is === 'unknown') {
      this.receiver.refused(chunksOf(piece, this.file.size))
      // From the same device it would be as unknown again.
      this.givers.swarm.suspects(piece)
    }
    if (check.is !== 'wrong') return this.events.onRoom(this)
    if (check.givers.length === 0) this.#isAnotherFile()
    else this.receiver.refused(chunksOf(piece, this.file.size))
    this.events.onWrong(this, piece, check.givers)
  }

  /** What an earlier page has received is not of this file: everything is received again. */
  #isAnotherFile(): void {
    this.#era += 1
    this.receiver.lostAll()
    this.receiver.refused({ first: 0, count: chunkCount(this.file.size) })
    this.checking.clear()
    // What was told of the other one would count against what a later page finds of this one.
    if (this.#sink) this.#keeping.enterHashes(this.#sink.part)
  }

  /**
   * Takes chunks that arrived on a link.
   * @param arrived notes the arrival of so many bytes of the file, and returns the chunks to write
   */
  chunk(
    first: number,
    bytes: Bytes,
    from: DeviceId,
    link: LinkKey,
    arrived: (bytes: number) => readonly ChunkRange[],
  ): void {
    if (this.#state.at !== 'open') return
    const { sink } = this.#state
    this.givers.carriers.carried(link)
    const { chunkBytes } = this.layout
    for (const range of arrived(this.layout.clearBytes(bytes.byteLength))) {
      const at = (range.first - first) * chunkBytes
      const part = bytes.subarray(at, at + range.count * chunkBytes)
      if (this.sealed) void this.#open(this.sealed, range, part, from)
      else this.#take(sink, range, part, from)
    }
  }

  /** Opens chunks and takes them. Meanwhile they count as those that wait for the disk, which bounds how many there are (F4). */
  async #open(sealed: SealedChunks, range: ChunkRange, bytes: Bytes, from: DeviceId): Promise<void> {
    const era = this.#era
    try {
      const opened = await sealed.open(range.first, bytes)
      // A pause ends nothing: its sink stays, and takes what had arrived.
      if (!this.#sink || this.hasEnded || this.#era !== era) return
      if (opened) return this.#take(this.#sink, range, opened, from)
      this.receiver.refused(range)
      this.events.onUnopened(this, from)
    } catch (error) {
      this.#broke(error)
    }
  }

  #take(sink: Sink, range: ChunkRange, bytes: Bytes, from: DeviceId): void {
    this.checking.came(range, bytes, from, sink.read)
    this.#write(sink, range, bytes)
  }

  #write(sink: Sink, range: ChunkRange, bytes: Bytes): void {
    const position = range.first * CHUNK_BYTES
    const wrote = () => {
      this.receiver.wrote(range)
      if (this.hasEnded) return
      this.#keeping.wrote(bytes.byteLength)
      this.checking.wrote(range, sink.read)
      const head = this.#head?.wrote(position, bytes)
      if (head) this.events.onHead(this, head)
      this.events.onRoom(this)
    }
    try {
      const written = sink.write(position, bytes)
      if (written === undefined) wrote()
      else void written.then(wrote).catch((error: unknown) => this.#broke(error))
    } catch (error) {
      this.#broke(error)
    }
  }

  /**
   * Completes the file once every chunk is durable: null when its bytes went to a file that the person picked. Returns no file at
   * all where that fails, which ends the transfer, or where it ended meanwhile.
   */
  async finish(): Promise<{ readonly file: Blob | null } | null> {
    if (this.#state.at !== 'open') return null
    const { sink } = this.#state
    this.#state = { at: 'finishing' }
    try {
      this.#whole = sink.finish()
      const file = await this.#whole
      this.isKept = sink.isKept
      if (!this.hasEnded) return { file }
      // What was interrupted stays, and a later page finds it whole.
      if (!this.isInterrupted) discard(sink)
    } catch (error) {
      if (this.#closesLate(sink)) return null
      this.#state = { at: 'open', sink }
      this.#broke(error)
    }
    return null
  }

  /** Whether its sink, if one is open, can be gone on with. */
  get canWait(): boolean {
    return !this.#sink?.part?.isBroken
  }

  /** The pieces that can be given to others: of a file that the person picked, none can be read. */
  get pieces(): readonly ChunkRange[] {
    const canRead = this.#sink?.read && (!this.hasEnded || this.isDone)
    return canRead ? this.checking.pieces.right : []
  }

  get size(): number {
    return this.file.size
  }

  /** Reads bytes of the pieces that can be given. */
  async read(position: number, length: number): Promise<Bytes | null> {
    if (!this.#whole) return this.#sink?.read?.(position, length) ?? null
    const file = await this.#whole
    return file && new Uint8Array(await file.slice(position, position + length).arrayBuffer())
  }

  /** Enters what is here where a later page finds it when it is time. Called several times a second. */
  keep(now: number): void {
    if (this.#state.at === 'open') this.#keeping.look(this.#state.sink.part, now)
  }

  /** The chunks that are durable, without those of whole pieces that may be wrong. */
  get #certain(): readonly ChunkRange[] {
    const { receiver, checking, file } = this
    const doubtful = checking.pieces.doubtful.filter((piece) =>
      receiver.isDurable(chunksOf(piece, file.size)),
    )
    return without(receiver.durable, doubtful)
  }

  /** Ends the transfer. What was written is removed, unless the file is complete or a later page may go on with it. */
  end(how: Ending, why: CancelReason | null = null): void {
    const { at } = this.#state
    const kept = { durable: this.#certain, isPaused: this.pausedBy === 'me' }
    if (this.#sink && how === 'interrupted') this.#keeping.enterHashes(this.#sink.part)
    this.#state = { at: 'ended', how, why: why ?? 'person' }
    this.checking.end()
    if (this.#sink && at !== 'finishing') close(this.#sink, how, kept)
    // Nothing was opened yet, and the picker has made the file already.
    else if (this.isUntouched && this.picked && how !== 'interrupted') void dropPicked(this.picked)
  }

  /** A place was picked for it too late: the empty file goes that the picker has made there, unless this one comes to it. */
  async dropOther(picked: FileSystemFileHandle): Promise<void> {
    if (!(await this.picked?.isSameEntry(picked))) await dropPicked(picked)
  }

  #broke(error: unknown): void {
    if (!this.hasEnded) this.events.onBroken(this, failureOf(error))
  }
}
