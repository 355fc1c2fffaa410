// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { BeamId, ItemId, UploadedFile } from '../protocol/bindings'
import { ANSWER_WITHIN_MS, uploadForm } from './form-upload'
import { PROGRESS_WITHIN_MS, type UploadEnd } from './upload'

/** A request of the browser, whose server is the test. */
class FakeRequest {
  static newest: FakeRequest
  opened: string[] = []
  sent: FormData | null = null
  aborted = false
  status = 0
  responseText = ''
  readonly upload = { onprogress: (_event: { loaded: number }) => {}, onload: () => {} }
  onload = () => {}
  onerror = () => {}

  constructor() {
    FakeRequest.newest = this
  }

  open(...args: string[]) {
    this.opened = args
  }

  setRequestHeader() {}

  send(form: FormData) {
    this.sent = form
  }

  abort() {
    this.aborted = true
  }

  answers(status: number, body: unknown) {
    this.status = status
    this.responseText = typeof body === 'string' ? body : JSON.stringify(body)
    this.onload()
  }
}

const STORED: UploadedFile = {
  id: '0123456789abcdef',
  url: '/api/uploads/0123456789abcdef',
  name: 'a.png',
  size: 4,
  type: 'image/png',
  expires_at: null,
}
const file = new File(['four'], 'a.png', { type: 'image/png' })
let ends: UploadEnd[]
let sent: number[]

beforeEach(() => {
  vi.stubGlobal('XMLHttpRequest', FakeRequest)
  ends = []
  sent = []
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const BEAM = 'beam' as BeamId
const ITEM = 'item' as ItemId
const start = (isStored = false) =>
  uploadForm(
    file,
    { id: ITEM, beam: BEAM, isStored },
    { onProgress: (bytes) => sent.push(bytes), onEnd: (end) => ends.push(end) },
  )

describe('an upload in one request', () => {
  it('h40_sends_the_file_bound_to_the_beam_and_returns_the_stored_file', () => {
    start()
    const request = FakeRequest.newest
    expect(request.opened).toEqual(['POST', '/api/upload/?beam_id=beam'])
    expect(request.sent?.get('file')).toBeInstanceOf(File)
    request.answers(201, STORED)
    expect(ends).toEqual([{ status: 'stored', file: STORED }])
  })

  it('h44_goes_to_the_files_of_a_saved_beam', () => {
    start(true)
    expect(FakeRequest.newest.opened).toEqual(['POST', '/api/beams/beam/files/'])
  })

  it('that sends nothing more has lost its network, and is ended once', () => {
    vi.useFakeTimers()
    start()
    vi.advanceTimersByTime(PROGRESS_WITHIN_MS - 1)
    FakeRequest.newest.upload.onprogress({ loaded: 1 })
    vi.advanceTimersByTime(PROGRESS_WITHIN_MS - 1)
    expect(ends).toEqual([])
    vi.advanceTimersByTime(1)
    expect(ends).toEqual([{ status: 'unreachable' }])
    expect(FakeRequest.newest.aborted).toBe(true)
    vi.advanceTimersByTime(ANSWER_WITHIN_MS)
    expect(ends).toHaveLength(1)
  })

  it('that is all sent has longer until its answer', () => {
    vi.useFakeTimers()
    start()
    FakeRequest.newest.upload.onload()
    vi.advanceTimersByTime(ANSWER_WITHIN_MS - 1)
    FakeRequest.newest.answers(201, STORED)
    vi.advanceTimersByTime(ANSWER_WITHIN_MS)
    expect(ends).toEqual([{ status: 'stored', file: STORED }])
  })

  it('that is cancelled ends without a word', () => {
    vi.useFakeTimers()
    start()()
    vi.advanceTimersByTime(ANSWER_WITHIN_MS)
    expect(ends).toEqual([])
  })

  it('counts the bytes of the file, not those of the form around it', () => {
    start()
    FakeRequest.newest.upload.onprogress({ loaded: 2 })
    FakeRequest.newest.upload.onprogress({ loaded: 300 })
    expect(sent).toEqual([2, 4])
  })

  it.each([
    [413, { detail: 'too large', code: 'too_large' }],
    [507, { detail: 'no room', code: 'no_room' }],
    [400, { file: ['Choose a picture, a video or audio.'] }],
  ])('is refused for good by %i %j', (status, body) => {
    start()
    FakeRequest.newest.answers(status, body)
    expect(ends).toEqual([{ status: 'refused' }])
  })

  it.each([
    [404, { detail: 'There is no such beam.', code: 'not_found' }],
    [429, { detail: 'Wait a minute.', code: 'too_fast' }],
    [503, { detail: 'Busy.', code: 'unavailable' }],
    [201, '<html>'],
    [500, ''],
  ])('may come another time after %i %j', (status, body) => {
    start()
    FakeRequest.newest.answers(status, body)
    expect(ends).toEqual([{ status: 'unreachable' }])
  })

  it('may be tried again when there was no answer', () => {
    start()
    FakeRequest.newest.onerror()
    expect(ends).toEqual([{ status: 'unreachable' }])
  })

  it('reports nothing after it was cancelled', () => {
    start()()
    expect(FakeRequest.newest.aborted).toBe(true)
    expect(ends).toEqual([])
  })
})
