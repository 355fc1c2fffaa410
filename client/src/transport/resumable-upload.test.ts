import { IDBFactory } from 'fake-indexeddb'
import 'fake-indexeddb/auto'
import type { HttpRequest, HttpResponse, HttpStack } from 'tus-js-client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sealedSize } from '../crypto/file-chunks'
import { newFileSeal } from '../crypto/file-keys'
import type { BeamId, ItemId, UploadedFile } from '../protocol/bindings'
import type { FileSeal } from '../protocol/item'
import { cryptoSettles } from './crypto-stage'
import { HttpError, type readUploaded } from './http'
import { uploadInPieces } from './resumable-upload'
import { SealedFile } from './sealed-file'
import { PROGRESS_WITHIN_MS, type UploadEnd, uploadAfter } from './upload'
import { UploadPlaces } from './upload-places'

const BEAM = 'beam' as BeamId
const ITEM = 'item' as ItemId
const MIB = 1024 * 1024
const PIECE = 32 * MIB
const STORED: UploadedFile = {
  id: 'x',
  url: '/api/uploads/x',
  name: 'film.mkv',
  size: PIECE + 3,
  type: 'video/x-matroska',
  expires_at: null,
}

/** A server of tus: its uploads, and what it answers next instead of what it should. */
class Server {
  readonly uploads = new Map<string, { length: number; offset: number }>()
  readonly requests: string[] = []
  /** What came in pieces, and what was said of it. */
  readonly bodies: Blob[] = []
  metadata = ''
  /**
   * Statuses that the next requests get from a proxy; 0 breaks the connection, null keeps it silent, `swallow` takes all bytes
   * and then keeps it silent, a number of bytes breaks it there. Undefined is no fault.
   */
  readonly faults: (number | null | undefined | 'swallow' | { after: number })[] = []

  answer(...request: Parameters<Server['act']>): [number, [string, string][]] {
    const [status, headers] = this.act(...request)
    return [status, [['Tus-Resumable', '1.0.0'], ...headers]]
  }

  act(method: string, url: string, headers: Map<string, string>, size: number): [number, [string, string][]] {
    const path = new URL(url, 'http://here').pathname
    if (method === 'POST') {
      const made = `/api/tus/u${this.uploads.size}`
      this.uploads.set(made, { length: Number(headers.get('Upload-Length')), offset: 0 })
      return [201, [['Location', made]]]
    }
    const upload = this.uploads.get(path)
    if (!upload) return [404, []]
    if (method === 'DELETE') this.uploads.delete(path)
    if (method === 'PATCH') {
      if (Number(headers.get('Upload-Offset')) !== upload.offset) return [409, []]
      upload.offset += size
    }
    return [
      method === 'HEAD' ? 200 : 204,
      [
        ['Upload-Offset', String(upload.offset)],
        ['Upload-Length', String(upload.length)],
      ],
    ]
  }
}

class Request implements HttpRequest {
  readonly #headers = new Map<string, string>()
  #onProgress = (_sent: number) => {}

  constructor(
    readonly server: Server,
    readonly method: string,
    readonly url: string,
  ) {}

  getMethod = () => this.method
  getURL = () => this.url
  setHeader = (name: string, value: string) => void this.#headers.set(name, value)
  getHeader = (name: string) => this.#headers.get(name)
  setProgressHandler = (told: (sent: number) => void) => {
    this.#onProgress = told
  }
  getUnderlyingObject = () => this
  /** As in a browser, a request that was aborted never settles. */
  abort = async () => {}

  async send(body?: Blob | null): Promise<HttpResponse> {
    const { server, method, url } = this
    server.metadata = this.#headers.get('Upload-Metadata') ?? server.metadata
    server.requests.push(`${method} ${this.#headers.get('Upload-Offset') ?? ''}`.trim())
    const fault = server.faults.shift()
    if (fault === 'swallow') this.#onProgress(body?.size ?? 0)
    if (fault === null || fault === 'swallow') return new Promise(() => {})
    if (fault === 0) throw new Error('no network')
    if (typeof fault === 'object') {
      server.answer(method, url, this.#headers, fault.after)
      throw new Error('cut')
    }
    const size = body?.size ?? 0
    if (body) server.bodies.push(body)
    this.#onProgress(size)
    const [status, headers] =
      fault === undefined ? server.answer(method, url, this.#headers, size) : [fault, []]
    const said = new Map(headers.map(([name, value]) => [name.toLowerCase(), value]))
    return {
      getStatus: () => status,
      getHeader: (name) => said.get(name.toLowerCase()),
      getBody: () => '',
      getUnderlyingObject: () => null,
    }
  }
}

let server: Server
let ends: UploadEnd[]
let sent: number[]
let reads: (Awaited<ReturnType<typeof readUploaded>> | HttpError)[]
/** How often the page has made sure of its login. */
let logins: number
let now: number
let places: UploadPlaces

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  vi.stubGlobal('indexedDB', new IDBFactory())
  server = new Server()
  ends = []
  sent = []
  reads = [STORED]
  now = Date.UTC(2026, 0, 1)
  places = new UploadPlaces(() => now, null)
  logins = 0
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const film = (size = PIECE + 3) =>
  new File([new Uint8Array(size)], 'film.mkv', { type: 'video/x-matroska', lastModified: 5 })

function start(file = film(), seal?: FileSeal, id = ITEM) {
  const httpStack: HttpStack = {
    createRequest: (method, url) => new Request(server, method, url),
    getName: () => 'test',
  }
  const read = async () => {
    const answer = reads.length > 0 ? reads.shift() : STORED
    if (answer instanceof HttpError) throw answer
    return answer ?? 'storing'
  }
  const events = {
    onProgress: (bytes: number) => sent.push(bytes),
    onEnd: (end: UploadEnd) => ends.push(end),
  }
  const makeSure = async () => {
    logins += 1
  }
  const upload = uploadAfter(makeSure, (file, target, events) =>
    uploadInPieces(file, target, events, { places, httpStack, read }),
  )
  return upload(file, { id, beam: BEAM, isStored: true, seal }, events)
}

/** Lets time pass until the upload has ended. */
const ended = () => passesUntil(() => ends.length > 0)

async function passesUntil(is: () => boolean): Promise<void> {
  for (let turn = 0; turn < 400 && !is(); turn++) {
    await new Promise((resolve) => setImmediate(resolve))
    await cryptoSettles()
    await vi.advanceTimersByTimeAsync(500)
  }
  expect(is()).toBe(true)
}

/** A page that was reloaded knows only what the browser has kept. */
const reload = () => {
  places = new UploadPlaces(() => now, null)
}

describe('an upload in pieces', () => {
  it('h46_sends_one_piece_after_the_other_and_returns_the_stored_file', async () => {
    start()
    await ended()
    expect(server.requests).toEqual(['POST', 'PATCH 0', `PATCH ${PIECE}`])
    expect(ends).toEqual([{ status: 'stored', file: STORED }])
    expect(sent.at(-1)).toBe(PIECE + 3)
  })

  it('h46_goes_on_behind_what_arrived_of_a_piece_that_was_cut', async () => {
    server.faults.push(...answered(1), { after: 7 * MIB })
    start()
    await ended()
    expect(server.requests).toEqual(['POST', 'PATCH 0', 'HEAD', `PATCH ${7 * MIB}`])
    expect(ends).toMatchObject([{ status: 'stored' }])
  })

  it.each([0, 502, 503, 429])(
    'h46_keeps_what_arrived_while_the_server_answers_%i_to_the_question_how_much_that_is',
    async (status) => {
      server.faults.push(...answered(1), { after: 7 * MIB }, status, status)
      start()
      await ended()
      expect(server.requests).toEqual(['POST', 'PATCH 0', 'HEAD', 'HEAD', 'HEAD', `PATCH ${7 * MIB}`])
      expect(server.uploads.size).toBe(1)
    },
  )

  it('h46_goes_on_after_a_reload', async () => {
    server.faults.push(...answered(2), null)
    start()
    await passesUntil(() => server.requests.length === 3)
    reload()

    start()
    await ended()

    expect(server.requests.slice(3)).toEqual(['HEAD', `PATCH ${PIECE}`])
    expect(ends).toMatchObject([{ status: 'stored' }])
  })

  it('h46_goes_on_after_a_reload_with_the_same_files_packed_again_which_makes_a_file_of_another_time', async () => {
    server.faults.push(...answered(2), null)
    start()
    await passesUntil(() => server.requests.length === 3)
    reload()

    start(new File([film()], 'film.mkv', { lastModified: 6 }))
    await ended()

    expect(server.requests.slice(3)).toEqual(['HEAD', `PATCH ${PIECE}`])
    expect(server.uploads.size).toBe(1)
  })

  it('h46_of_another_item_begins_at_its_first_byte_whatever_was_cut_of_a_file_of_the_same_facts', async () => {
    server.faults.push(...answered(2), null)
    start()
    await passesUntil(() => server.requests.length === 3)
    reload()

    const other = new File([new Uint8Array(PIECE + 3).fill(1)], 'film.mkv', { lastModified: 5 })
    start(other, undefined, 'other' as ItemId)
    await ended()

    expect(server.requests.slice(3)).toEqual(['POST', 'PATCH 0', `PATCH ${PIECE}`])
  })

  it('h47_begins_anew_after_a_day_and_when_the_server_knows_it_no_more', async () => {
    server.faults.push(...answered(2), null)
    start()
    await passesUntil(() => server.requests.length === 3)
    server.uploads.clear()
    reload()
    start()
    await ended()
    expect(server.requests.slice(3)).toEqual(['HEAD', 'POST', 'PATCH 0', `PATCH ${PIECE}`])
    expect(logins).toBe(3)

    now += 24 * 60 * 60 * 1000
    reload()
    start()
    await passesUntil(() => ends.length === 2)
    expect(server.requests.slice(7)).toEqual(['POST', 'PATCH 0', `PATCH ${PIECE}`])
  })

  it.each([404, 410])('h47_goes_on_when_a_proxy_that_has_lost_the_server_answers_%i', async (status) => {
    server.faults.push(...answered(1), { after: 7 * MIB }, status, status)
    start()
    await ended()
    expect(server.requests).toEqual(['POST', 'PATCH 0', 'HEAD', 'HEAD', 'HEAD', `PATCH ${7 * MIB}`])
    expect(ends).toMatchObject([{ status: 'stored' }])
  })

  it('h48_asks_a_proxy_that_has_lost_the_server_again_and_begins_anew_when_the_server_has_no_file', async () => {
    reads = [new HttpError(404, 'Not Found'), 'storing', STORED]
    start()
    await ended()
    expect(server.uploads.size).toBe(1)

    reads = ['lapsed', STORED]
    start()
    await passesUntil(() => ends.length === 2)
    expect(server.uploads.size).toBe(3)
    expect(ends).toEqual([
      { status: 'stored', file: STORED },
      { status: 'stored', file: STORED },
    ])
  })

  it('of an item whose file is sent twice at a time is another one', async () => {
    start()
    start()
    await passesUntil(() => ends.length === 2)
    expect(server.uploads.size).toBe(2)
  })

  it('that sends nothing goes on with another request, and ends when that happens again and again', async () => {
    server.faults.push(...answered(1), null)
    start()
    await passesUntil(() => server.requests.length === 2)
    await vi.advanceTimersByTimeAsync(PROGRESS_WITHIN_MS)
    await ended()
    expect(ends).toMatchObject([{ status: 'stored' }])

    server.faults.push(null, null, null)
    start()
    await passesUntil(() => ends.length === 2)
    expect(ends.at(-1)).toEqual({ status: 'unreachable' })
  })

  it('that sends all bytes again and again and is never answered ends', async () => {
    server.faults.push(...answered(1), 'swallow', undefined, 'swallow', undefined, 'swallow')
    start()
    await ended()
    expect(server.requests).toEqual(['POST', 'PATCH 0', 'HEAD', 'PATCH 0', 'HEAD', 'PATCH 0'])
    expect(ends).toEqual([{ status: 'unreachable' }])
  })

  it('that stalls now and then goes on for as long as the server acknowledges more', async () => {
    server.faults.push(
      ...answered(1),
      'swallow',
      undefined,
      'swallow',
      ...answered(2),
      'swallow',
      undefined,
      'swallow',
    )
    start()
    await ended()
    expect(ends).toMatchObject([{ status: 'stored' }])
  })

  it.each([413, 507, 403])('is refused for good by %i', async (status) => {
    server.faults.push(status)
    start()
    await ended()
    expect(ends).toEqual([{ status: 'refused' }])
    expect(server.requests).toEqual(['POST'])
  })

  it('may come another time when the server does not come back', async () => {
    server.faults.push(...Array(60).fill(0))
    start()
    await ended()
    expect(ends).toEqual([{ status: 'unreachable' }])
  })

  it('h48_waits_for_a_file_that_is_still_stored_and_asks_again_after_a_failure_of_the_store', async () => {
    reads = ['storing', new HttpError(502, 'The storage does not answer.'), 'storing', STORED]
    start()
    await ended()
    expect(reads).toEqual([])
    expect(ends).toEqual([{ status: 'stored', file: STORED }])
  })

  it('h48_is_refused_when_the_server_finds_that_it_is_no_medium', async () => {
    reads = [new HttpError(400, 'Choose a picture, a video or audio.')]
    start()
    await ended()
    expect(ends).toEqual([{ status: 'refused' }])
  })

  it('h47_that_is_cancelled_ends_at_the_server_too_without_a_word', async () => {
    server.faults.push(...answered(2), null)
    const cancel = start()
    await passesUntil(() => server.requests.length === 3)
    cancel()
    await passesUntil(() => server.uploads.size === 0)
    expect(server.requests.at(-1)).toBe('DELETE')
    expect(ends).toEqual([])
  })
})

/** So many requests without a fault. */
function answered(count: number): undefined[] {
  return Array(count).fill(undefined)
}

describe('e7 a sealed file', () => {
  const SIZE = 5 * MIB + 3
  const seal = newFileSeal()
  const whole = async () => {
    const sealed = new SealedFile(film(SIZE), seal)
    return Buffer.from(await (await sealed.slice(0, sealed.size)).arrayBuffer())
  }
  const came = async () => Buffer.from(await new Blob(server.bodies).arrayBuffer())

  it('comes as its sealed form, without its name and its type', async () => {
    start(film(SIZE), seal)
    await ended()
    expect([...server.uploads.values()]).toEqual([{ length: sealedSize(SIZE), offset: sealedSize(SIZE) }])
    expect((await came()).equals(await whole())).toBe(true)
    expect(server.metadata).toBe(`filename ${btoa('sealed')},filetype ${btoa('application/octet-stream')}`)
  })

  it('goes on after a cut at any byte', async () => {
    server.faults.push(undefined, { after: 12_345 })
    start(film(SIZE), seal)
    await ended()
    expect(ends).toEqual([{ status: 'stored', file: STORED }])
    expect((await came()).equals((await whole()).subarray(12_345))).toBe(true)
  })

  it.each([
    ['goes on after a reload with the seal of its item', seal, 1],
    ['that is shared anew has another seal, and begins anew', newFileSeal(), 2],
  ])('%s', async (_, later, uploads) => {
    server.faults.push(undefined, null)
    start(film(SIZE), seal)
    await passesUntil(() => server.requests.includes('PATCH 0'))
    reload()
    start(film(SIZE), later)
    await ended()
    expect(server.uploads.size).toBe(uploads)
  })
})
