// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { BeamId, ItemId } from '../protocol/bindings'
import { deviceToken } from './device-tokens'
import { askedFiles } from './marked-files'
import { ownTab } from './own-tab'
import { storeUnsent } from './unsent-storage'

const BEAM = '0b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
const OTHER_BEAM = '1b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId

const FILE = 'file' as ItemId

/** The browser's locks. A page holds each until the test ends that page. */
class Locks {
  readonly held = new Set<string>()
  #onEnd: () => void = () => {}

  async request(
    name: string,
    { signal, ifAvailable }: LockOptions,
    granted: (lock: object | null) => Promise<unknown>,
  ): Promise<void> {
    if (this.held.has(name) && ifAvailable) return void (await granted(null))
    if (this.held.has(name)) {
      await new Promise<void>((resolve, reject) => {
        this.#onEnd = resolve
        signal?.addEventListener('abort', () => reject(signal.reason))
      })
    }
    this.held.add(name)
    await granted({ name })
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
/** Opens a tab of its own, with nothing in its storage. */
const opensTab = async () => {
  sessionStorage.clear()
  await starts()
}
/** Starts a page beside one that lives on, with the same storage. */
const startsCopy = async () => {
  const started = starts()
  late.abort()
  await started
}

beforeEach(() => {
  sessionStorage.clear()
  localStorage.clear()
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

  it('s5_are_kept_when_the_browser_stood_still_until_the_time_for_the_lock_was_over', async () => {
    await starts()
    const before = token()
    const loadedAgain = starts()
    locks.held.clear()
    late.abort()
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

  it('s5_are_those_of_tabs_that_were_closed', async () => {
    await starts()
    const [one, other] = [token(), token(OTHER_BEAM)]
    locks.endsPage()
    await opensTab()
    expect([token(), token(OTHER_BEAM)]).toEqual([one, other])
    // Nobody else is that device.
    await opensTab()
    expect(token()).not.toBe(one)
  })

  it('s5_are_not_those_of_a_tab_that_is_open', async () => {
    await starts()
    const before = token()
    await opensTab()
    expect(token()).not.toBe(before)
  })

  it('s5_are_those_of_the_tab_that_was_used_last_and_of_none_that_was_closed_long_ago', async () => {
    const now = vi.spyOn(Date, 'now')
    const tokens: string[] = []
    for (const hour of [0, 1]) {
      now.mockReturnValue(hour * 3_600_000)
      await opensTab()
      tokens.push(token())
    }
    locks.endsPage()
    await opensTab()
    expect(token()).toBe(tokens[1])
    locks.endsPage()
    now.mockReturnValue(8 * 24 * 3_600_000)
    await opensTab()
    expect(tokens).not.toContain(token())
    expect(Object.keys(localStorage)).toHaveLength(1)
  })

  it('s5_are_new_in_a_tab_that_is_opened_again_after_another_took_its_place', async () => {
    await starts()
    const before = token()
    const stored = { ...sessionStorage }
    locks.endsPage()
    await opensTab()
    expect(token()).toBe(before)
    sessionStorage.clear()
    for (const [key, value] of Object.entries(stored)) sessionStorage.setItem(key, value)
    await startsCopy()
    expect(token()).not.toBe(before)
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

describe('what a tab has still to send', () => {
  const isStored = () => sessionStorage.getItem('unsent') !== null
  beforeEach(async () => {
    await starts()
    token()
    storeUnsent(BEAM, [{ id: 'a', message: 'hello', extra: 'text' }])
  })

  it('s9_is_sent_by_it_alone_and_not_by_its_copy', async () => {
    await startsCopy()
    expect(isStored()).toBe(false)
  })

  it('s9_is_still_there_when_it_is_opened_again_after_another_took_its_place', async () => {
    const stored = { ...sessionStorage }
    locks.endsPage()
    await opensTab()
    expect(isStored()).toBe(false)
    for (const [key, value] of Object.entries(stored)) sessionStorage.setItem(key, value)
    await startsCopy()
    expect(isStored()).toBe(true)
  })
})

it('what a tab has still to receive comes to it alone and not to its copy', async () => {
  await starts()
  token()
  askedFiles.note(FILE)
  await startsCopy()
  expect(askedFiles.has(FILE)).toBe(false)
})
