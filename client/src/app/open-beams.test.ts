import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { BeamId } from '../protocol/bindings'
import { hearRemoved, holdBeam, ifClosed, tellRemoved } from './open-beams'

const BEAM = '0b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
const OTHER = '1b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId

/** The browser's locks, of which pages hold some together. */
class Locks {
  readonly held = new Map<string, number>()

  async request(
    name: string,
    { mode = 'exclusive', ifAvailable = false }: LockOptions,
    granted: (lock: object | null) => Promise<unknown>,
  ): Promise<unknown> {
    const holders = this.held.get(name) ?? 0
    if (mode === 'exclusive' && holders > 0 && ifAvailable) return granted(null)
    this.held.set(name, holders + 1)
    const value = await granted({ name })
    this.held.set(name, (this.held.get(name) ?? 0) - 1)
    return value
  }
}

let locks: LockManager
const act = vi.fn(async () => {})

beforeEach(() => {
  locks = new Locks() as unknown as LockManager
  act.mockClear()
})

describe('a beam', () => {
  it('is open until the last page has left it', async () => {
    const leaves = [holdBeam(BEAM, locks), holdBeam(BEAM, locks)]
    for (const leave of leaves) {
      expect(await ifClosed(BEAM, act, locks)).toBe(false)
      leave()
    }
    await Promise.resolve()
    expect(act).not.toHaveBeenCalled()
    expect(await ifClosed(BEAM, act, locks)).toBe(true)
    expect(act).toHaveBeenCalledOnce()
  })

  it('is closed while pages are in another one', async () => {
    holdBeam(OTHER, locks)
    expect(await ifClosed(BEAM, act, locks)).toBe(true)
  })

  it('is taken to be closed where tabs know nothing of each other', async () => {
    holdBeam(BEAM, undefined)()
    vi.stubGlobal('navigator', {})
    expect(await ifClosed(BEAM, act)).toBe(true)
    expect(act).toHaveBeenCalledOnce()
    vi.unstubAllGlobals()
  })
})

it('the other tabs hear which beam was removed', async () => {
  const heard = vi.fn()
  const end = hearRemoved(heard)
  tellRemoved(BEAM)
  await vi.waitFor(() => expect(heard).toHaveBeenCalledExactlyOnceWith(BEAM))
  end()
})
