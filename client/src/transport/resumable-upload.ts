/** Uploads in pieces that go on where they stopped, by tus 1.0 (H45 to H48). The only door to `tus-js-client`. */
import { DetailedError, type HttpStack, Upload as Tus } from 'tus-js-client'
import type { UploadedFile } from '../protocol/bindings'
import { HttpError, readUploaded } from './http'
import {
  isRefusal,
  PROGRESS_WITHIN_MS,
  type Upload,
  type UploadEnd,
  type UploadEvents,
  type UploadTarget,
} from './upload'
import { UploadPlaces } from './upload-places'

/** The disk of the server is full, or a quota (H45). */
const NO_ROOM = 507
/** A proxy that collects a whole request before it passes it on loses no more than a piece. */
const PIECE_BYTES = 32 * 1024 * 1024
/** Milliseconds before each attempt after a failure: about a minute and a half, in which a server restarts. */
const RETRY_DELAYS = [0, 1_000, 3_000, 5_000, ...Array<number>(8).fill(10_000)]
/** The server is asked so often, in milliseconds, for a file that it still stores. */
const ASK_AGAIN_MS = 1_000

/** What a test replaces. */
export interface Surroundings {
  readonly places: UploadPlaces
  /** Absent: that of the library, which uses `XMLHttpRequest`. */
  readonly httpStack?: HttpStack
  readonly read: (id: string) => Promise<UploadedFile | null>
}

const BROWSER: Surroundings = { places: new UploadPlaces(), read: readUploaded }

/** Sends a file for an item of a saved or kept beam. The returned function cancels, also at the server. */
export function uploadInPieces(
  file: File,
  target: UploadTarget,
  events: UploadEvents,
  around: Surroundings = BROWSER,
): ReturnType<Upload> {
  const upload = new ResumableUpload(file, target, events, around)
  void upload.begin()
  return () => upload.cancel()
}

class ResumableUpload {
  readonly #file: File
  readonly #events: UploadEvents
  readonly #around: Surroundings
  readonly #endpoint: string
  /** Names the place of the upload. */
  #key: string
  #tus: Tus | null = null
  /** Ends a request that sends nothing more. */
  #stalled: ReturnType<typeof setTimeout> | undefined
  /** Times that nothing was sent, in a row. */
  #stalls = 0
  #sent = 0
  #hasBegunAnew = false
  #isOver = false

  constructor(file: File, { beam }: UploadTarget, events: UploadEvents, around: Surroundings) {
    this.#file = file
    this.#events = events
    this.#around = around
    this.#endpoint = `/api/beams/${beam}/tus/`
    this.#key = JSON.stringify([beam, file.name, file.size, file.lastModified])
  }

  async begin(): Promise<void> {
    const { key, url } = await this.#around.places.take(this.#key)
    this.#key = key
    if (this.#isOver) this.#around.places.leave(key)
    else this.#start(url)
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
    const { name, type } = this.#file
    const tus = new Tus(this.#file, {
      // Only for an upload that begins: the library would also begin anew after any failed question of how far it is.
      endpoint: url === null ? this.#endpoint : null,
      uploadUrl: url,
      metadata: { filename: name, filetype: type },
      chunkSize: PIECE_BYTES,
      retryDelays: RETRY_DELAYS,
      storeFingerprintForResuming: false,
      ...(httpStack ? { httpStack } : {}),
      onShouldRetry: (error) => mayPass(statusOf(error)),
      onUploadUrlAvailable: () => {
        tus.options.endpoint = null
        if (tus.url !== null) void this.#around.places.keep(this.#key, tus.url)
      },
      onProgress: (sent) => this.#progressed(sent),
      onSuccess: () => void this.#fetchStored(tus.url ?? ''),
      onError: (error) => this.#failed(statusOf(error)),
    })
    this.#tus = tus
    this.#watch()
    tus.start()
  }

  #progressed(sent: number): void {
    if (this.#isOver) return
    if (sent > this.#sent) this.#stalls = 0
    this.#sent = sent
    this.#watch()
    this.#events.onProgress(sent)
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
    if (this.#stalls > 2) return this.#end({ status: 'unreachable' })
    this.#watch()
    this.#tus?.start()
  }

  #failed(status: number): void {
    if (this.#isOver) return
    const url = this.#tus?.url
    const isGone = (status === 404 || status === 410) && url
    if (isGone) void this.#around.places.forget(this.#key, url)
    if (isGone && !this.#hasBegunAnew) {
      this.#hasBegunAnew = true
      this.#sent = 0
      return this.#start(null)
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
    if (typeof found === 'number') return this.#failed(found)
    void this.#around.places.forget(this.#key, url)
    this.#end({ status: 'stored', file: found })
  }

  /** Asks for the file while the server copies it to a bucket. Returns a status when there is no file to wait for. */
  async #askUntilStored(id: string): Promise<UploadedFile | number> {
    const delays = [...RETRY_DELAYS]
    while (!this.#isOver) {
      const answer = await this.#around.read(id).catch(failure)
      if (typeof answer === 'object' && answer) return answer
      const pause = pauseAfter(answer, delays)
      if (pause === undefined) return answer ?? 0
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
    return 0
  }

  #end(end: UploadEnd): void {
    this.#over()
    this.#events.onEnd(end)
  }

  #over(): void {
    this.#isOver = true
    clearTimeout(this.#stalled)
    this.#around.places.leave(this.#key)
  }
}

/** The status of a failed request; 0 when there was no answer. */
function statusOf(error: Error): number {
  return error instanceof DetailedError ? (error.originalResponse?.getStatus() ?? 0) : 0
}

function failure(error: unknown): number {
  return error instanceof HttpError ? (error.status ?? 0) : 0
}

/** Milliseconds until the server is asked for a stored file again; undefined when that is in vain. */
function pauseAfter(answer: number | null, delays: number[]): number | undefined {
  if (answer === null) return ASK_AGAIN_MS
  return mayPass(answer) ? delays.shift() : undefined
}

/** Whether the same request may be answered otherwise soon. */
function mayPass(status: number): boolean {
  return !isRefusal(status) && status !== 404 && status !== 410
}
