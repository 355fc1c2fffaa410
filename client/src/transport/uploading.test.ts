// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { newFileSeal } from '../crypto/file-keys'
import type { BeamId, ItemId } from '../protocol/bindings'
import { SealedFile } from './sealed-file'
import type { UploadEnd } from './upload'
import { upload } from './uploading'
import { GLANCE_WITHIN_MS } from './within'

const BEAM = 'beam' as BeamId
const ITEM = 'item' as ItemId
const SEAL = newFileSeal()
const file = new File(['four'], 'a.png', { type: 'image/png' })

/** The forms that were sent, and how far each is told to be. */
let forms: FormData[]
let progresses: ((event: { loaded: number }) => void)[]
let sent: number[]
let ends: UploadEnd['status'][]

class FakeRequest {
  readonly upload = { onprogress: (_event: { loaded: number }) => {} }
  open() {}
  setRequestHeader() {}
  abort() {}
  send(form: FormData) {
    forms.push(form)
    progresses.push((event) => this.upload.onprogress(event))
  }
}

beforeEach(() => {
  forms = []
  progresses = []
  sent = []
  ends = []
  vi.stubGlobal('XMLHttpRequest', FakeRequest)
})
afterEach(() => vi.unstubAllGlobals())

const start = (shared = file) =>
  upload(
    shared,
    { id: ITEM, beam: BEAM, isStored: true, seal: SEAL },
    {
      onProgress: (bytes) => sent.push(bytes),
      onEnd: ({ status }) => ends.push(status as UploadEnd['status']),
    },
  )

it('e7_a_small_file_goes_in_its_sealed_form_without_its_name_and_its_type', async () => {
  start()
  await vi.waitFor(() => expect(forms).toHaveLength(1))
  const body = forms[0]?.get('file') as File
  expect([body.name, body.type]).toEqual(['sealed', 'application/octet-stream'])
  const sealed = new SealedFile(file, SEAL)
  const whole = await sealed.slice(0, sealed.size)
  expect(Buffer.from(await bytesOf(body)).equals(Buffer.from(await whole.arrayBuffer()))).toBe(true)
})

it('e7_a_person_is_told_of_no_more_bytes_than_their_file_has', async () => {
  start()
  await vi.waitFor(() => expect(forms).toHaveLength(1))
  for (const loaded of [3, 70]) progresses[0]?.({ loaded })
  expect(sent).toEqual([3, 4])
})

it('nothing is sent when it is cancelled while it is being sealed', async () => {
  start()()
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(forms).toEqual([])
  expect(ends).toEqual([])
})

it('a large file is sealed no further once its upload is cancelled', async () => {
  const slice = vi.spyOn(SealedFile.prototype, 'slice').mockImplementation(async () => new Blob())
  const large = new File(['four'], 'a.png')
  Object.defineProperty(large, 'size', { value: 80 * 1024 * 1024 })
  const cancel = upload(
    large,
    { id: ITEM, beam: BEAM, isStored: false, seal: SEAL },
    { onProgress: () => {}, onEnd: ({ status }) => ends.push(status as UploadEnd['status']) },
  )
  cancel()
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(slice).toHaveBeenCalledTimes(1)
  expect([forms, ends]).toEqual([[], []])
  slice.mockRestore()
})

it('a file that cannot be read ends as one that did not get there, which is then looked at', async () => {
  const gone = new File(['four'], 'a.png')
  gone.slice = () => Object.assign(new Blob(), { arrayBuffer: () => Promise.reject(new Error('changed')) })
  start(gone)
  await vi.waitFor(() => expect(ends).toEqual(['unreachable']))
})

it('a file of which nothing comes ends as one that did not get there', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const silent = new File(['four'], 'a.png')
  const arrayBuffer = vi.fn(() => new Promise<ArrayBuffer>(() => {}))
  silent.slice = () => Object.assign(new Blob(), { arrayBuffer })
  start(silent)
  await vi.waitFor(() => expect(arrayBuffer).toHaveBeenCalled())
  vi.advanceTimersByTime(GLANCE_WITHIN_MS)
  await vi.waitFor(() => expect(ends).toEqual(['unreachable']))
  vi.useRealTimers()
})

/** The blobs of jsdom cannot be read by themselves. */
function bytesOf(blob: Blob): Promise<ArrayBuffer> {
  return new Promise((resolve) => {
    const reader = new FileReader()
    reader.onload = () => resolve(reader.result as ArrayBuffer)
    reader.readAsArrayBuffer(blob)
  })
}
