import { describe, expect, it, vi } from 'vitest'
import type { BeamId, ItemId } from '../protocol/bindings'
import { type Lapsed, type Upload, type UploadEnd, uploadAfter } from './upload'
import { GLANCE_WITHIN_MS } from './within'

const BEAM = 'beam' as BeamId
const ITEM = 'item' as ItemId
const file = new File(['four'], 'a.png', { type: 'image/png' })

describe('an upload that waits for a fresh login', () => {
  const nothing = { onProgress: () => {}, onEnd: () => {} }
  const start = (login: Promise<unknown>, send: Upload) =>
    uploadAfter(() => login, send)(file, { id: ITEM, beam: BEAM, isStored: false }, nothing)

  it.each([
    ['renewed', (settle: Settle) => settle.resolve()],
    ['not to be had', (settle: Settle) => settle.reject(new Error('offline'))],
  ])('starts once the login is %s', async (_, end) => {
    const { login, settle } = pending()
    const send = vi.fn(() => () => {})
    start(login, send)
    expect(send).not.toHaveBeenCalled()
    end(settle)
    await vi.waitFor(() => expect(send).toHaveBeenCalledOnce())
  })

  it('does not start when it was cancelled meanwhile', async () => {
    const { login, settle } = pending()
    const send = vi.fn(() => () => {})
    start(login, send)()
    const after = vi.fn()
    start(login, () => {
      after()
      return () => {}
    })
    settle.resolve()
    await vi.waitFor(() => expect(after).toHaveBeenCalled())
    expect(send).not.toHaveBeenCalled()
  })

  it('can also be cancelled after it has begun', async () => {
    const cancel = vi.fn()
    const send = vi.fn(() => cancel)
    const stop = start(Promise.resolve(), send)
    await vi.waitFor(() => expect(send).toHaveBeenCalled())
    stop()
    expect(cancel).toHaveBeenCalledOnce()
  })
})

describe('how an upload ends', () => {
  const readable = new File(['four'], 'a.png')
  const changed = Object.assign(new File(['four'], 'a.png'), {
    slice: () => ({ size: 1, arrayBuffer: () => Promise.reject(new DOMException('', 'NotReadableError')) }),
  })
  /** What the page is told when attempts end like this, one after the other, and how often it made sure of its login. */
  async function told(file: File, ...attempts: (UploadEnd | Lapsed)[]) {
    const makeSure = vi.fn(async () => {})
    const end = await new Promise<UploadEnd>((onEnd) => {
      uploadAfter(makeSure, (_file, _target, events) => {
        queueMicrotask(() => events.onEnd(attempts.shift() ?? { status: 'refused' }))
        return () => {}
      })(file, { id: ITEM, beam: BEAM, isStored: true }, { onProgress: () => {}, onEnd })
    })
    return [end.status, makeSure.mock.calls.length]
  }

  it.each(['refused', 'unreachable'] as const)('is told as it was (%s)', async (status) => {
    expect(await told(readable, { status })).toEqual([status, 1])
  })

  it('is another attempt when it lapsed, with a fresh login, but only once', async () => {
    expect(await told(readable, { status: 'lapsed' }, { status: 'refused' })).toEqual(['refused', 2])
    expect(await told(readable, { status: 'lapsed' }, { status: 'lapsed' })).toEqual(['unreachable', 2])
  })

  it('is that of an unreachable server where nothing comes of the file, which may be read later', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const slice = () => ({ size: 1, arrayBuffer: () => new Promise(() => {}) })
    const end = told(Object.assign(new File(['four'], 'a.png'), { slice }), { status: 'unreachable' })
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1))
    vi.advanceTimersByTime(GLANCE_WITHIN_MS)
    expect(await end).toEqual(['unreachable', 1])
    vi.useRealTimers()
  })

  it('is told from an unreachable server when the file was changed on the disk', async () => {
    expect(await told(changed, { status: 'unreachable' })).toEqual(['unreadable', 1])
    expect(await told(changed, { status: 'refused' })).toEqual(['refused', 1])
  })
})

interface Settle {
  resolve: () => void
  reject: (error: Error) => void
}

function pending(): { login: Promise<void>; settle: Settle } {
  let settle: Settle = { resolve: () => {}, reject: () => {} }
  const login = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject }
  })
  return { login, settle }
}
