import { IDBFactory } from 'fake-indexeddb'
import 'fake-indexeddb/auto'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { UploadPlaces } from './upload-places'

/** The Web Locks of a browser, which all its tabs share. */
function browser(): LockManager {
  const held = new Map<string, Promise<unknown>>()
  const request = async (name: string, { signal }: LockOptions, act: () => Promise<void>) => {
    const aborted = new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason))
    })
    aborted.catch(() => {})
    while (held.has(name)) await Promise.race([held.get(name), aborted])
    const holding = act().finally(() => held.delete(name))
    held.set(name, holding)
    await holding
  }
  return { request } as unknown as LockManager
}

let locks: LockManager
const tab = () => new UploadPlaces(() => 0, locks)

beforeEach(() => {
  vi.stubGlobal('indexedDB', new IDBFactory())
  // Another tab has the place for longer than a page takes to end.
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const end = new AbortController()
    setTimeout(() => end.abort(new DOMException('', 'TimeoutError')), 20)
    return end.signal
  })
  locks = browser()
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

it('a place that one tab has is not given to another, which gets a place of its own', async () => {
  const [one, other] = [tab(), tab()]
  expect(await one.take('film')).toEqual({ key: 'film', url: null })
  await one.keep('film', '/api/tus/1')
  expect(await other.take('film')).toEqual({ key: 'film+', url: null })
})

it('a place that a tab leaves, or that ends with its page, goes to the next one', async () => {
  const [one, other] = [tab(), tab()]
  await one.take('film')
  await one.keep('film', '/api/tus/1')
  const waiting = other.take('film')
  one.leave('film')
  expect(await waiting).toEqual({ key: 'film', url: '/api/tus/1' })
})

it('without locks, or where they are refused, a place is one of the page alone', async () => {
  const refuse = { request: () => Promise.reject(new DOMException('', 'SecurityError')) }
  for (const none of [null, refuse as unknown as LockManager]) {
    const places = new UploadPlaces(() => 0, none)
    expect((await places.take('film')).key).toBe('film')
    expect((await places.take('film')).key).toBe('film+')
  }
})

it('f13_a_file_whose_upload_goes_on_has_a_place', async () => {
  const places = tab()
  expect(await places.has('film')).toBe(false)
  await places.keep('film', '/api/tus/1')
  expect(await tab().has('film')).toBe(true)
  await places.forget('film', '/api/tus/1')
  expect(await tab().has('film')).toBe(false)
})
