/** Uploads in pieces that go on where they stopped, by tus 1.0 (H45 to H48). The only door to `tus-js-client`. */
import { DetailedError, type FileReader, type HttpStack, Upload as Tus } from 'tus-js-client'
import type { UploadedFile } from '../protocol/bindings'
import type { FileSeal } from '../protocol/item'
import { HttpError, readUploaded } from './http'
import { SealedFile } from './sealed-file'
import {
  isRefusal,
  type Lapsed,
  PROGRESS_WITHIN_MS,
  SEALED,
  type Upload,
  type UploadEnd,
  type UploadEvents,
  type UploadTarget,
} from './upload'
import { type UploadPlaces, uploadKey, uploadPlaces } from './upload-places'

/** The disk of the server is full, or a quota (H45). */
const NO_ROOM = 507
/** A proxy that collects a whole request before it passes it on loses no more than a piece. */
const PIECE_BYTES = 32 * 1024 * 1024
/** Milliseconds before each attempt after a failure: about a minute and a half, in which a server restarts. */
const RETRY_DELAYS = [0, 1_000, 3_000, 5_000, ...Array<number>(8).fill(10_000)]
/** The server is asked so often, in milliseconds, for a file that it still stores. */
const ASK_AGAIN_MS = 1_000
/** Requests in a row that may stall without a byte acknowledged. */
const MOST_STALLS = 2

type End = UploadEnd | Lapsed

/** What a test replaces. */
export interface Surroundings {
  readonly places: UploadPlaces
  /** Absent: that of the library, which uses `XMLHttpRequest`. */
  readonly httpStack?: HttpStack
  readonly read: typeof readUploaded
}

const BROWSER: Surroundings = { places: uploadPlaces, read: readUploaded }

/** Sends a file for an item of a saved or kept beam. The returned function cancels, also at the server. */
export function uploadInPieces(
  file: File,
  target: UploadTarget,
  events: UploadEvents<End>,
  around: Surroundings = BROWSER,
): ReturnType<Upload> {
  const upload = new ResumableUpload(file, target, events, around)
  void upload.begin()
  return () => upload.cancel()
}

class ResumableUpload {
  readonly #file: File
  readonly #seal: FileSeal | undefined
  readonly #events: UploadEvents<End>
  readonly #around: Surroundings
  readonly #endpoint: string
  /** Names the place of the upload. */
  #key: string
  #tus: Tus | null = null
  /** Ends a request that sends nothing more. */
  #stalled: ReturnType<typeof setTimeout> | undefined
  /** Requests that stalled since the server acknowledged more. */
  #stalls = 0
  /** Bytes that the server has acknowledged. What was only sent may be lost on the way, again and again. */
  #acknowledged = 0
  #isOver = false

  constructor(file: File, { id, beam, seal }: UploadTarget, events: UploadEvents<End>, around: Surroundings) {
    this.#file = file
    this.#seal = seal
    this.#events = events
    this.#around = around
    this.#endpoint = `/api/beams/${beam}/tus/`
    this.#key = uploadKey(beam, id, seal)
  }

  async begin(): Promise<void> {
    const { key, url } = await this.#around.places.take(this.#key)
    this.#key = key
    if (!this.#isOver) return this.#start(url)
    this.#around.places.leave(key)
    if (url === null) return
    const { httpStack } = this.#around
    void Tus.terminate(url, httpStack ? { httpStack } : {}).catch(() => {})
    void this.#around.places.forget(key, url)
  }

  cancel(): void {
    if (this.#isOver) return
    this.#over()
    const url = this.#tus?.url
    if (url) this.#giveUp(url)
    else void this.#tus?.abort().catch(() => {})
  }

  #start(url: string | null): void {
    const { httpStack } = this.#around
    const { name, type } = this.#seal ? SEALED : this.#file
    const tus = new Tus(this.#file, {
      // Only for an upload that begins: the library would also begin anew after any failed question of how far it is.
      endpoint: url === null ? this.#endpoint : null,
      uploadUrl: url,
      metadata: { filename: name, filetype: type },
      chunkSize: PIECE_BYTES,
      retryDelays: RETRY_DELAYS,
      storeFingerprintForResuming: false,
      ...(httpStack ? { httpStack } : {}),
      ...(this.#seal ? { fileReader: readerOf(new SealedFile(this.#file, this.#seal)) } : {}),
      onShouldRetry: (error) => mayPass(failureOf(error)),
      onAfterResponse: (_, answer) => this.#heard(Number(answer.getHeader('upload-offset') ?? 0)),
      onUploadUrlAvailable: () => {
        tus.options.endpoint = null
        if (tus.url !== null) void this.#around.places.keep(this.#key, tus.url)
      },
      onProgress: (sent) => this.#progressed(sent),
      onSuccess: () => void this.#fetchStored(tus.url ?? ''),
      onError: (error) => void this.#failed(failureOf(error)),
    })
    this.#tus = tus
    this.#watch()
    tus.start()
  }

  #progressed(sent: number): void {
    if (this.#isOver) return
    this.#watch()
    this.#events.onProgress(sent)
  }

  #heard(offset: number): void {
    if (!(offset > this.#acknowledged)) return
    this.#acknowledged = offset
    this.#stalls = 0
  }

  #watch(): void {
    clearTimeout(this.#stalled)
    this.#stalled = setTimeout(() => void this.#restart(), PROGRESS_WITHIN_MS)
  }

  /** Goes on with another request, because the one that stalled would never end by itself. */
  async #restart(): Promise<void> {
    this.#stalls += 1
    await this.#tus?.abort().catch(() => {})
    if (this.#isOver) return
    if (this.#stalls > MOST_STALLS) return this.#end({ status: 'unreachable' })
    this.#watch()
    this.#tus?.start()
  }

  async #failed({ status, isLapse }: Failure): Promise<void> {
    if (this.#isOver) return
    clearTimeout(this.#stalled)
    const url = this.#tus?.url
    if (isLapse && url) {
      // Before it begins anew, which looks for a place to go on.
      await this.#around.places.forget(this.#key, url)
      if (!this.#isOver) this.#end({ status: 'lapsed' })
      return
    }
    // Of an upload that has begun, the room is reserved: a disk that is full takes the rest once it is not.
    if (!isRefusal(status) || (url && status === NO_ROOM)) return this.#end({ status: 'unreachable' })
    if (url) this.#giveUp(url)
    this.#end({ status: 'refused' })
  }

  /** Tells the server to free what is there. When it does not hear of it, the upload ends by its time. */
  #giveUp(url: string): void {
    void this.#tus?.abort(true).catch(() => {})
    void this.#around.places.forget(this.#key, url)
  }

  async #fetchStored(url: string): Promise<void> {
    clearTimeout(this.#stalled)
    const found = await this.#askUntilStored(url.slice(url.lastIndexOf('/') + 1))
    if (this.#isOver) return
    if ('isLapse' in found) return this.#failed(found)
    void this.#around.places.forget(this.#key, url)
    this.#end({ status: 'stored', file: found })
  }

  /** Asks for the file while the server copies it to a bucket. Returns why there is no file to wait for. */
  async #askUntilStored(id: string): Promise<UploadedFile | Failure> {
    const delays = [...RETRY_DELAYS]
    while (!this.#isOver) {
      const answer = await this.#around.read(id).catch(refused)
      if (answer === 'lapsed') return { status: 404, isLapse: true }
      if (answer === 'storing') {
        await pause(ASK_AGAIN_MS)
        continue
      }
      if (!('isLapse' in answer)) return answer
      const delay = mayPass(answer) ? delays.shift() : undefined
      if (delay === undefined) return answer
      await pause(delay)
    }
    return NO_ANSWER
  }

  #end(end: End): void {
    this.#over()
    this.#events.onEnd(end)
  }

  #over(): void {
    this.#isOver = true
    clearTimeout(this.#stalled)
    this.#around.places.leave(this.#key)
  }
}

/** Lets the library read a file in its sealed form. */
function readerOf(file: SealedFile): FileReader {
  const { size } = file
  const slice = async (start: number, end: number) => {
    return {
      value: await file.slice(start, Math.min(end, size)),
      size: Math.min(end, size) - start,
      done: end >= size,
    }
  }
  return { openFile: async () => ({ size, slice, close() {} }) }
}

/** Why a request failed. */
interface Failure {
  /** 0 when there was no answer. */
  readonly status: number
  /** Whether this server says that there is no such upload (H47), and not a proxy that has lost its server. */
  readonly isLapse: boolean
}

const NO_ANSWER: Failure = { status: 0, isLapse: false }

function failureOf(error: Error): Failure {
  const answer = error instanceof DetailedError ? error.originalResponse : null
  const status = answer?.getStatus() ?? 0
  // Every answer of the server about an upload bears its version (H45).
  return { status, isLapse: (status === 404 || status === 410) && answer?.getHeader('tus-resumable') != null }
}

function refused(error: unknown): Failure {
  return { status: error instanceof HttpError ? (error.status ?? 0) : 0, isLapse: false }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Whether the same request may be answered otherwise soon. */
function mayPass({ status, isLapse }: Failure): boolean {
  return !isRefusal(status) && !isLapse
}
