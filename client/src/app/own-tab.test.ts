// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { BeamId } from '../protocol/bindings'
import { ownTab } from './own-tab'
import { deviceToken } from './session-storage'

const BEAM = '0b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
const OTHER_BEAM = '1b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId

/** The browser's locks. A page holds each until the test ends that page. */
class Locks {
  readonly held = new Set<string>()
  #onEnd: () => void = () => {}

  async request(name: string, { signal }: LockOptions, granted: () => Promise<unknown>): Promise<void> {
    if (this.held.has(name)) {
      await new Promise<void>((resolve, reject) => {
        this.#onEnd = resolve
        signal?.addEventListener('abort', () => reject(signal.reason))
      })
    }
    this.held.add(name)
    await granted()
  }

  endsPage(): void {
    this.held.clear()
    this.#onEnd()
  }
}

let locks: Locks
/** Ends the time that a page waits for a lock. */
let late: AbortController
const token = (beam = BEAM) => deviceToken(beam, false)
const starts = () => ownTab(locks as unknown as LockManager)
/** Starts a page beside one that lives on, with the same storage. */
const startsCopy = async () => {
  const started = starts()
  late.abort()
  await started
}

beforeEach(() => {
  sessionStorage.clear()
  locks = new Locks()
  late = new AbortController()
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(late.signal)
})
afterEach(() => vi.restoreAllMocks())

describe('the device tokens of a tab', () => {
  it('s5_are_kept_when_the_page_is_loaded_again', async () => {
    await starts()
    const before = token()
    const loadedAgain = starts()
    locks.endsPage()
    await loadedAgain
    expect(token()).toBe(before)
  })

  it('s5_are_not_those_of_the_tab_that_it_is_a_copy_of', async () => {
    await starts()
    const original = [token(), token(OTHER_BEAM)]
    await startsCopy()
    const copy = [token(), token(OTHER_BEAM)]
    expect(new Set([...original, ...copy]).size).toBe(4)
    // The copy holds a lock as well, by which it is told from a copy of its own.
    expect(locks.held.size).toBe(2)
  })

  it('s5_are_kept_where_locks_are_forbidden', async () => {
    await starts()
    const before = token()
    const refuse = () => Promise.reject(new DOMException('', 'SecurityError'))
    await ownTab({ request: refuse } as unknown as LockManager)
    expect(token()).toBe(before)
  })

  it('s5_are_kept_where_there_are_no_locks', async () => {
    const before = token()
    await ownTab(undefined)
    expect(token()).toBe(before)
  })
})
