// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Deposit } from '../crypto/deposit'
import type { KeptShared } from '../crypto/shared-keys'
import type { BeamId } from '../protocol/bindings'
import { createStores } from '../stores/stores'
import { NOTHING_KNOWN } from '../stores/vault'
import type { Deposited, Rekeyed } from '../transport/having'
import { Secrets } from '../transport/secrets'
import type { RekeyedHere } from './beam-channel'
import { forgetKnown, keysToChange, moveEntries, sweepEntries } from './beam-entries'
import { SavedBeamKeys } from './saved-beam-keys'

const OLD = '0b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
const NEW = '1b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId

/** What lies with the beams on the server, by their ids of now. */
let deposited: Map<BeamId, Deposit>
/** What holds up an answer of the server, or has it fail. */
let answers: () => Promise<void>
let stores: ReturnType<typeof createStores>
let failures: number
/** How often the person was told that new keys wait for the vault. */
let reminders: number
/** The beam that the page is in. */
let here: BeamId | null
/** Says whether the channel of the page has changed the keys of its beam. */
let changesHere: (how: RekeyedHere) => void
let pages: SavedBeamKeys[]

/** A page of Ada's that is loaded, in a browser that has no keys yet. */
function load(): SavedBeamKeys {
  stores = createStores()
  const kept = new Map<BeamId, KeptShared>()
  const store = {
    read: async (beam: BeamId) => kept.get(beam) ?? null,
    write: async (beam: BeamId, keys: KeptShared) => void kept.set(beam, keys),
    remove: async (beam: BeamId) => void kept.delete(beam),
  }
  const bank = {
    read: async (beam: BeamId) => {
      await answers()
      return deposited.get(beam) ?? null
    },
    write: async (beam: BeamId, keys: Deposit) => {
      await answers()
      if (deposited.has(beam)) deposited.set(beam, keys)
    },
  }
  const page = new SavedBeamKeys(new Secrets(store, bank), stores, {
    rekeyHere: (beam) =>
      beam === here ? new Promise<RekeyedHere>((resolve) => (changesHere = resolve)) : null,
    renewLogin: async () => {},
    onFailed: () => {
      failures += 1
    },
    onLocked: () => {
      reminders += 1
    },
  })
  pages.push(page)
  return page
}

function logsIn(username = 'ada'): void {
  const user = { username, first_name: '', last_name: '', email: '', profile_picture: null }
  stores.vault.setState(NOTHING_KNOWN, true)
  stores.account.setState({ status: 'authenticated', user }, true)
  stores.vault.setState({ own: { is: 'none' } })
}

const logsOut = () => {
  stores.account.setState({ status: 'anonymous' }, true)
  stores.vault.setState(NOTHING_KNOWN, true)
}

const fails = () => Promise.reject(new Error('no answer'))
const current = (beam: BeamId) => deposited.get(beam)?.current
const isLeftToDo = () => [...keysToChange.beams].filter((beam) => keysToChange.of(beam).length > 0)

/** Resolves once it is so, however often something is tried again before. The time does not pass by itself. */
const inTheEnd = (isSo: () => void) =>
  vi.waitFor(
    async () => {
      await vi.advanceTimersByTimeAsync(1_000)
      isSo()
    },
    { timeout: 5_000 },
  )

/** The beam has another id, and nothing is under the one of before. */
function renews(): void {
  const keys = deposited.get(OLD)
  deposited.delete(OLD)
  if (keys) deposited.set(NEW, keys)
}

let before: string

beforeEach(async () => {
  localStorage.clear()
  deposited = new Map()
  answers = async () => {}
  failures = 0
  reminders = 0
  here = null
  pages = []
  const owner = new Secrets(
    { read: async () => null, write: async () => {}, remove: async () => {} },
    { read: async () => null, write: async (beam, keys) => void deposited.set(beam, keys) },
  )
  await owner.make(OLD)
  await owner.stored(OLD, true)
  await owner.deposit(OLD)
  before = current(OLD) ?? ''
})

afterEach(() => {
  // What still waits is not done any more.
  logsOut()
  vi.useRealTimers()
})

describe('e15 a beam that somebody may not read any more', () => {
  it('has new keys before its link is renewed', async () => {
    const page = load()
    logsIn()
    await page.change(OLD)
    expect(stores.vault.getState().deposits).toBe(1)
    const [changed, proof] = [current(OLD), deposited.get(OLD)?.proof]
    expect(changed).not.toBe(before)
    renews()
    page.moved(OLD, NEW)
    // For whoever has the link of now.
    await vi.waitFor(() => expect(deposited.get(NEW)?.proof).not.toBe(proof))
    expect([current(NEW), isLeftToDo(), failures]).toEqual([changed, [], 0])
  })

  it.each(['before', 'after'])(
    'has new keys under its next link, where the server tells late and this %s the link is renewed',
    async (when) => {
      const page = load()
      logsIn()
      let tell = () => {}
      const told = new Promise<void>((resolve) => (tell = resolve))
      answers = () => told
      const changed = page.change(OLD)
      if (when === 'before') tell()
      renews()
      moveEntries(OLD, NEW)
      page.moved(OLD, NEW)
      tell()
      await changed
      await vi.waitFor(() => expect(current(NEW)).not.toBe(before))
      await vi.waitFor(() => expect(isLeftToDo()).toEqual([]))
    },
  )

  it('has new keys once the server tells, and its person hears that it has none yet', async () => {
    vi.useFakeTimers()
    const page = load()
    logsIn()
    answers = fails
    await page.change(OLD)
    expect([current(OLD), failures, stores.vault.getState().deposits]).toEqual([before, 1, 0])
    answers = async () => {}
    await inTheEnd(() => expect(isLeftToDo()).toEqual([]))
    expect(current(OLD)).not.toBe(before)
    expect(failures).toBe(1)
  })

  it('gets no further keys where those that were made cannot be deposited at once', async () => {
    vi.useFakeTimers()
    const page = load()
    logsIn()
    let asked = 0
    answers = async () => {
      asked += 1
      // The first question is for what lies there.
      if (asked > 1 && asked < 6) return fails()
    }
    await page.change(OLD)
    await inTheEnd(() => expect(current(OLD)).not.toBe(before))
    expect(deposited.get(OLD)?.keys).toHaveLength(2)
  })

  it('has new keys by a later page, when that one was closed before the server told', async () => {
    vi.useFakeTimers()
    answers = () => new Promise(() => {})
    const closed = load()
    logsIn()
    void closed.change(OLD)
    await vi.advanceTimersByTimeAsync(0)
    logsOut()
    answers = async () => {}
    load()
    logsIn('bob')
    await vi.advanceTimersByTimeAsync(60_000)
    expect([current(OLD), isLeftToDo()]).toEqual([before, [OLD]])
    load()
    logsIn()
    await inTheEnd(() => expect(isLeftToDo()).toEqual([]))
    expect(current(OLD)).not.toBe(before)
  })

  it('has new keys once the vault is open, and not before that is known', async () => {
    vi.useFakeTimers()
    const page = load()
    logsIn()
    stores.vault.setState({ own: { is: 'locked', needsWords: false } })
    await page.change(OLD)
    await vi.advanceTimersByTimeAsync(60_000)
    expect([current(OLD), isLeftToDo(), failures]).toEqual([before, [OLD], 0])
    // Else the person would think that nobody else reads what comes now.
    expect(reminders).toBe(1)
    stores.vault.setState({ own: { is: 'open', fingerprint: '' } })
    await inTheEnd(() => expect(current(OLD)).not.toBe(before))
    await page.change(OLD)
    expect(reminders).toBe(1)
  })

  it('has its person told that they wait for the vault also where the page is in it', () => {
    here = OLD
    const page = load()
    logsIn()
    stores.vault.setState({ own: { is: 'locked', needsWords: false } })
    void page.change(OLD)
    expect(reminders).toBe(1)
  })

  describe('gets them from its own channel, where the page is in it by now', () => {
    const isChanging = vi.fn()
    beforeEach(async () => {
      vi.useFakeTimers()
      isChanging.mockReset()
      keysToChange.set(OLD, 'ada', '')
      here = OLD
      const page = load()
      vi.spyOn(page.events, 'rekeyHere').mockImplementation((beam) => {
        if (beam !== here) return null
        isChanging()
        return new Promise((resolve) => (changesHere = resolve))
      })
      logsIn()
      await inTheEnd(() => expect(isChanging).toHaveBeenCalledOnce())
    })

    it('and a later page is to change them until they lie where they go', async () => {
      await vi.advanceTimersByTimeAsync(600_000)
      expect([isLeftToDo(), isChanging.mock.calls.length]).toEqual([[OLD], 1])
      changesHere('done')
      await inTheEnd(() => expect(isLeftToDo()).toEqual([]))
      expect(current(OLD)).toBe(before)
    })

    it('and those that went nowhere, because the vault is locked, are changed once it is open', async () => {
      stores.vault.setState({ own: { is: 'locked', needsWords: false } })
      changesHere('done')
      await vi.advanceTimersByTimeAsync(60_000)
      expect([isLeftToDo(), isChanging.mock.calls.length]).toEqual([[OLD], 1])
      stores.vault.setState({ own: { is: 'open', fingerprint: '' } })
      await inTheEnd(() => expect(isChanging).toHaveBeenCalledTimes(2))
      changesHere('done')
      await inTheEnd(() => expect(isLeftToDo()).toEqual([]))
    })

    it('and no more of them than it must, where they cannot be deposited for a while', async () => {
      for (let second = 0; second < 300; second += 1) {
        changesHere('not-there')
        await vi.advanceTimersByTimeAsync(1_000)
      }
      expect(isChanging.mock.calls.length).toBeLessThan(15)
    })

    it('or without it, where the page has left it before', async () => {
      here = null
      changesHere('not-there')
      await inTheEnd(() => expect(isLeftToDo()).toEqual([]))
      expect(current(OLD)).not.toBe(before)
    })

    it('also where its link is renewed meanwhile', async () => {
      renews()
      here = NEW
      moveEntries(OLD, NEW)
      pages.at(-1)?.followed(OLD, NEW)
      changesHere('done')
      await inTheEnd(() => expect(isLeftToDo()).toEqual([]))
      expect(isChanging).toHaveBeenCalledOnce()
    })
  })

  it('has them made by a later page, where the one that is in it is closed at once', async () => {
    here = OLD
    const page = load()
    logsIn()
    await page.change(OLD)
    expect(isLeftToDo()).toEqual([OLD])
  })

  it('has them made by a later page, where this one is closed before it is known whether the share has ended', () => {
    const page = load()
    logsIn()
    page.expect(OLD)
    expect(isLeftToDo()).toEqual([OLD])
  })

  it('has none made where the share has not ended, unless they were due before', () => {
    const page = load()
    logsIn()
    page.expect(OLD)()
    expect(isLeftToDo()).toEqual([])
    keysToChange.set(OLD, 'ada', '')
    page.expect(OLD)()
    expect(isLeftToDo()).toEqual([OLD])
  })

  describe('of which the server shows nothing by then', () => {
    const asksOnce = async () => {
      const rekeySaved = vi.spyOn(load().secrets, 'rekeySaved')
      logsIn()
      await inTheEnd(() => expect(rekeySaved).toHaveBeenCalledOnce())
      await vi.advanceTimersByTimeAsync(600_000)
      expect([rekeySaved.mock.calls.length, isLeftToDo(), failures]).toEqual([1, [OLD], 0])
    }

    beforeEach(async () => {
      vi.useFakeTimers()
      const keys = deposited.get(OLD)
      deposited.clear()
      keysToChange.set(OLD, 'ada', '')
      await asksOnce()
      if (keys) deposited.set(OLD, keys)
    })

    it('has new keys by a later page to which it shows them again', async () => {
      load()
      logsIn()
      await inTheEnd(() => expect(isLeftToDo()).toEqual([]))
      expect(current(OLD)).not.toBe(before)
    })

    it('is asked about by each later page once, for a month', async () => {
      deposited.clear()
      await asksOnce()
      expect(deposited.size).toBe(0)
      sweepEntries(Date.now() + 31 * 24 * 3_600_000)
      expect(isLeftToDo()).toEqual([])
    })
  })

  it('has new keys by a later page, where this one is in it and was shown none', async () => {
    vi.useFakeTimers()
    here = OLD
    const page = load()
    logsIn()
    await page.change(OLD)
    const again = vi.spyOn(page.events, 'rekeyHere')
    changesHere('clear')
    await vi.advanceTimersByTimeAsync(600_000)
    expect([isLeftToDo(), again.mock.calls, failures]).toEqual([[OLD], [], 0])
    here = null
    load()
    logsIn()
    await inTheEnd(() => expect(isLeftToDo()).toEqual([]))
    expect(current(OLD)).not.toBe(before)
  })

  it('has them made later also where its person removes it from this browser', () => {
    keysToChange.set(OLD, 'ada', '')
    forgetKnown(OLD)
    expect(isLeftToDo()).toEqual([OLD])
  })

  describe('of its owner, who has a vault', () => {
    let made: number
    let went: Deposited['went'][]
    const loadWith = (rekeyed: () => Promise<Rekeyed>) => {
      vi.useFakeTimers()
      const page = load()
      made = 0
      vi.spyOn(page.secrets, 'rekeySaved').mockImplementation(() => {
        made += 1
        return rekeyed()
      })
      vi.spyOn(page.secrets, 'depositSaved').mockImplementation(
        async () => ({ went: went.shift() ?? 'into-vaults' }) as Deposited,
      )
      logsIn()
      return page
    }

    it.each([
      ['no other ones until these lie', 'not-yet', 1],
      ['other ones where the server may have these, until some lie', 'exposed', 2],
    ] as const)('has new keys, and %s in the vault', async (_, where, times) => {
      went = [where, where, where]
      let rekeyed: Rekeyed = 'made'
      const page = loadWith(async () => rekeyed)
      await page.change(OLD)
      expect([isLeftToDo(), failures, stores.vault.getState().deposits]).toEqual([[OLD], 1, 0])
      if (where === 'exposed') rekeyed = 'done'
      await inTheEnd(() => expect(isLeftToDo()).toEqual([]))
      expect(made).toBe(times)
    })

    describe('and that the server does not show', () => {
      beforeEach(async () => {
        await loadWith(async () => 'hidden').change(OLD)
        await vi.advanceTimersByTimeAsync(600_000)
        expect([made, isLeftToDo(), failures]).toEqual([1, [OLD], 0])
      })

      it('has new ones by a later page', async () => {
        went = []
        loadWith(async () => 'made')
        await inTheEnd(() => expect(isLeftToDo()).toEqual([]))
        expect(made).toBe(1)
      })

      it('has new ones once the page is in it', async () => {
        here = OLD
        pages.at(-1)?.entered(OLD)
        changesHere('done')
        await inTheEnd(() => expect(isLeftToDo()).toEqual([]))
      })
    })
  })
})
