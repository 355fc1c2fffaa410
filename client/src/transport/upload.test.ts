import { describe, expect, it, vi } from 'vitest'
import type { BeamId } from '../protocol/bindings'
import { type Upload, uploadAfter } from './upload'

const BEAM = 'beam' as BeamId
const file = new File(['four'], 'a.png', { type: 'image/png' })

describe('an upload that waits for a fresh login', () => {
  const nothing = { onProgress: () => {}, onEnd: () => {} }
  const start = (login: Promise<unknown>, send: Upload) =>
    uploadAfter(() => login, send)(file, { beam: BEAM, isStored: false }, nothing)

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
