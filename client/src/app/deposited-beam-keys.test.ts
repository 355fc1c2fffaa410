import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { BeamId } from '../protocol/bindings'
import type { Deposited, Having, Withdrawn } from '../transport/having'
import { DepositedBeamKeys } from './deposited-beam-keys'

const BEAM = '0b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
const HAVING: Having = {
  isKeyed: true,
  hasLetIn: true,
  isDeposited: false,
  deposits: true,
  invite: null,
  current: null,
  hasOtherLink: false,
  shutOut: [],
  uncovered: [],
  unverified: [],
}

/** How often this device has looked for keys, and how often it has written some. */
let looked: number
let written: number
/** How often the others were to hear that keys may have gone to the server. */
let sent: number
let answers: () => Promise<Withdrawn>
/** Where what it writes goes. */
let went: Deposited['went']
let takes: () => Promise<Deposited>
let isLoggedIn: () => Promise<boolean>
/** As whose this device was told to take the beam, with each look. */
let told: boolean[]
let keys: DepositedBeamKeys

beforeEach(() => {
  vi.useFakeTimers()
  looked = 0
  written = 0
  sent = 0
  takes = async () => ({ ...HAVING, went })
  told = []
  went = 'into-vaults'
  isLoggedIn = async () => true
  answers = async () => ({ ...HAVING, isInVaults: true })
  const secrets = {
    stored: async (_: BeamId, isMine: boolean) => {
      told.push(isMine)
      return { ...HAVING, mayBeNewer: true }
    },
    withdraw: async () => {
      looked += 1
      return answers()
    },
    deposit: async () => {
      written += 1
      return takes()
    },
  }
  keys = new DepositedBeamKeys(secrets, {
    beam: () => BEAM,
    isSealed: () => true,
    entered: async () => {},
    isLoggedIn: () => isLoggedIn(),
    onWithdrawn: () => {},
    onSent: () => {
      sent += 1
    },
    onDeposited: async () => true,
  })
})

afterEach(() => {
  keys.end()
  vi.useRealTimers()
})

it('s38_a_device_that_hears_of_other_keys_looks_for_them_and_writes_none', async () => {
  await keys.saved(false)
  expect([looked, written]).toEqual([1, 1])
  keys.changed()
  await vi.advanceTimersByTimeAsync(0)
  expect([looked, written]).toEqual([2, 1])
})

it('s38_what_is_told_while_it_looks_has_it_look_once_more', async () => {
  await keys.saved(false)
  keys.changed()
  answers = async () => {
    // Others were written after the server had read these.
    if (looked === 2) for (let times = 0; times < 10; times += 1) keys.changed()
    return { ...HAVING, isInVaults: true }
  }
  await vi.advanceTimersByTimeAsync(60_000)
  expect(looked).toBe(3)
})

it('s38_a_server_that_goes_on_telling_of_other_keys_is_asked_once_a_second', async () => {
  await keys.saved(false)
  looked = 0
  for (let told = 0; told < 1_000; told += 1) {
    keys.changed()
    await vi.advanceTimersByTimeAsync(10)
  }
  expect(looked).toBeGreaterThan(5)
  expect(looked).toBeLessThanOrEqual(11)
})

it('s38_of_a_beam_that_is_not_saved_it_asks_nothing', async () => {
  keys.changed()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(looked).toBe(0)
})

it('s38_a_look_of_a_device_that_joins_goes_on_until_the_server_tells_also_where_it_hears_of_other_keys', async () => {
  answers = () => Promise.reject(new Error('no answer'))
  void keys.saved(true)
  await vi.advanceTimersByTimeAsync(0)
  keys.changed()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(written).toBe(0)
  answers = async () => ({ ...HAVING, isInVaults: true })
  await vi.advanceTimersByTimeAsync(10_000)
  expect(written).toBe(1)
})

it('e9_the_keys_are_deposited_of_a_beam_whose_person_saved_it_just_before_the_network_was_gone', async () => {
  isLoggedIn = () => Promise.reject(new Error('no answer'))
  void keys.saved(true)
  await vi.advanceTimersByTimeAsync(0)
  expect(told).toEqual([])
  isLoggedIn = async () => true
  // The welcome of the next socket.
  await keys.saved(false)
  expect([told, written]).toEqual([[true], 1])
})

it('e18_the_keys_of_an_own_beam_are_there_once_they_lie_in_the_vault_whatever_the_server_shows_before', async () => {
  went = 'not-yet'
  void keys.saved(true)
  const areThere = vi.fn()
  void keys.areThere().then(areThere)
  await vi.advanceTimersByTimeAsync(10_000)
  expect([areThere.mock.calls, written > 1]).toEqual([[], true])
  went = 'into-vaults'
  await vi.advanceTimersByTimeAsync(10_000)
  expect(areThere.mock.calls).toEqual([[true]])
})

it('e9_what_the_worker_was_told_once_it_is_not_told_of_whoever_is_logged_in_later', async () => {
  await keys.saved(true)
  await keys.saved(false)
  expect(told).toEqual([true, false])
})

it('e15_the_others_hear_of_keys_that_the_server_has_and_does_not_say_so', async () => {
  takes = () => Promise.reject(new Error('no answer'))
  void keys.saved(true)
  await vi.advanceTimersByTimeAsync(0)
  expect([written, sent]).toEqual([1, 1])
})
