// @vitest-environment jsdom
/** What people have compared outlives the page (E8), and is taken away by nothing but what is meant to. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { BeamDetails, DeviceId, User } from '../protocol/bindings'
import { createStores, type Stores } from '../stores/stores'
import { reduceTrust, type Trust } from '../stores/trust'
import { sweepEntries } from './beam-entries'
import {
  asksBefore,
  createTrust,
  keepAsking,
  learnIn,
  learnShutOut,
  learnTrust,
  learnWelcome,
  loadTrust,
} from './beam-trust'
import {
  beam,
  begins,
  CABIN,
  DAY_MS,
  FakeSocket,
  ME,
  mine,
  NEW,
  OLD,
  PHONE,
  RENEWED,
  stores,
} from './current-beam-stage'

const TABLET = '41234567-89ab-8cde-8f01-23456789abcd' as DeviceId
const UNVERIFIED: Trust = { signs: [1, 2, 3, 4], state: 'unverified', isIn: true }
const ada: User = { username: 'ada', first_name: 'Ada', last_name: '', email: '', profile_picture: null }

beforeEach(begins)
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

/** Opens the beam in another tab. */
function opensTab(id = OLD): Stores {
  const tab = createStores()
  loadTrust(tab, id)
  return tab
}

/** What a page shows that opens the beam now. */
const shownLater = (id = OLD) => opensTab(id).trust.getState().devices

function confirms(tab: Stores, device: DeviceId): void {
  tab.session.setState({ status: 'set', session: mine }, true)
  createTrust(tab, () => null).confirmDevice(device, UNVERIFIED.signs)
}

describe('e8 two tabs of one browser in the same beam', () => {
  it('keep what each of them has learnt', () => {
    const [one, other] = [opensTab(), opensTab()]
    learnTrust(one, OLD, PHONE, UNVERIFIED)
    learnTrust(other, OLD, TABLET, UNVERIFIED)
    expect(shownLater()).toEqual({ [PHONE]: UNVERIFIED, [TABLET]: UNVERIFIED })
  })

  it('take nothing away that only the other one knows, when a joiner goes that nobody let in', () => {
    const [one, other] = [opensTab(), opensTab()]
    learnTrust(other, OLD, PHONE, { ...UNVERIFIED, state: 'asking', isIn: false })
    learnTrust(one, OLD, PHONE, UNVERIFIED)
    learnTrust(other, OLD, PHONE, null)
    expect(shownLater()).toEqual({ [PHONE]: UNVERIFIED })
  })

  it('leave verified what a person has compared in one of them', () => {
    const one = opensTab()
    learnTrust(one, OLD, PHONE, UNVERIFIED)
    const other = opensTab()
    confirms(one, PHONE)
    learnTrust(other, OLD, TABLET, UNVERIFIED)
    expect(shownLater()).toEqual({ [PHONE]: { ...UNVERIFIED, state: 'verified' }, [TABLET]: UNVERIFIED })
  })
})

describe('e8 the wish to be asked before a device is let in', () => {
  const turns = (tab: Stores, asks: boolean) => createTrust(tab, () => null).askBefore(asks)

  it('holds in all tabs as soon as it was said in one', () => {
    const [one, other] = [opensTab(), opensTab()]
    turns(one, true)
    expect(asksBefore(other)).toBe(true)
    turns(one, false)
    expect(asksBefore(other)).toBe(false)
  })

  it('holds whatever a person says, where the operator of the server wants it', () => {
    const tab = opensTab()
    learnWelcome(tab, OLD, 'verify')
    turns(tab, false)
    expect(asksBefore(tab)).toBe(true)
  })

  it('is shown in all tabs', () => {
    const [one, other] = [opensTab(), opensTab()]
    keepAsking(other)
    turns(one, true)
    dispatchEvent(new StorageEvent('storage', { key: 'ask-before' }))
    expect(other.trust.getState().asksBefore).toBe(true)
  })

  it('is shown by a later page', () => {
    turns(opensTab(), true)
    const later = opensTab()
    keepAsking(later)
    expect(later.trust.getState().asksBefore).toBe(true)
  })
})

describe('e8 a device that was let in', () => {
  it('is kept as not verified, also one that still waited for a person', () => {
    const page = opensTab()
    learnTrust(page, OLD, PHONE, { ...UNVERIFIED, state: 'asking', isIn: false })
    expect(shownLater()).toEqual({})
    learnIn(page, OLD, PHONE, UNVERIFIED.signs)
    expect(shownLater()).toEqual({ [PHONE]: UNVERIFIED })
  })

  it('is kept as not verified where it took back before what both have shown', () => {
    const page = opensTab()
    learnTrust(page, OLD, PHONE, { ...UNVERIFIED, isIn: false })
    learnTrust(page, OLD, PHONE, null)
    learnIn(page, OLD, PHONE, UNVERIFIED.signs)
    expect(shownLater()).toEqual({ [PHONE]: UNVERIFIED })
  })

  it('is verified where the person has compared what both show before it let this one in, and nothing else', () => {
    const page = opensTab()
    const { signs } = UNVERIFIED
    for (const device of [PHONE, TABLET]) {
      learnTrust(page, OLD, device, { ...UNVERIFIED, isIn: false })
      page.trust.setState((state) => reduceTrust(state, { type: 'confirmed', device, signs }), true)
    }
    learnIn(page, OLD, PHONE, signs)
    learnIn(page, OLD, TABLET, [...signs].reverse())
    expect(shownLater()).toMatchObject({ [PHONE]: { state: 'verified' }, [TABLET]: { state: 'unverified' } })
  })

  it('is not kept any more once it was removed and this device has changed the keys', () => {
    const page = opensTab()
    for (const device of [PHONE, TABLET]) learnTrust(page, OLD, device, UNVERIFIED)
    learnShutOut(page, OLD, [PHONE])
    expect(shownLater()).toEqual({ [TABLET]: UNVERIFIED })
  })

  it('is as it was where the browser has something else under its name', () => {
    localStorage.setItem(`trust:${OLD}:${PHONE}`, '{"state":"verified"}')
    expect(shownLater()).toEqual({})
  })
})

describe('e8 h28 a renewed link', () => {
  beforeEach(() => {
    beam.enter(mine)
    FakeSocket.newest.accepts({ expires_at: null, now: 1, saved: CABIN })
    learnTrust(stores, OLD, PHONE, UNVERIFIED)
  })

  it('takes along what people have compared', () => {
    beam.renewed(OLD, RENEWED, true)
    expect([shownLater(NEW), shownLater()]).toEqual([{ [PHONE]: UNVERIFIED }, {}])
  })

  it('takes it along where another device has renewed the link', async () => {
    stores.account.setState({ status: 'authenticated', user: ada }, true)
    const details: BeamDetails = { beam: RENEWED, role: 'owner', owner: ada, shares: [] }
    vi.stubGlobal('fetch', async (path: string) =>
      Response.json(path === '/api/auth/me' ? { user: ada } : details),
    )
    FakeSocket.newest.onclose({ code: 4404 })
    await vi.waitFor(() => expect(FakeSocket.newest.url).toContain(NEW))
    expect([shownLater(NEW), shownLater()]).toEqual([{ [PHONE]: UNVERIFIED }, {}])
  })

  it('takes it along where this page is in another beam', () => {
    beam.leave()
    beam.renewed(OLD, RENEWED, true)
    expect([shownLater(NEW), shownLater()]).toEqual([{ [PHONE]: UNVERIFIED }, {}])
  })

  it('shows what another tab has taken along before', () => {
    const other = opensTab()
    learnTrust(other, OLD, TABLET, UNVERIFIED)
    localStorage.setItem(`trust:${NEW}:${TABLET}`, localStorage.getItem(`trust:${OLD}:${TABLET}`) ?? '')
    localStorage.removeItem(`trust:${OLD}:${TABLET}`)
    beam.renewed(OLD, RENEWED, false)
    expect(stores.trust.getState().devices).toEqual({ [PHONE]: UNVERIFIED, [TABLET]: UNVERIFIED })
    expect(shownLater(NEW)).toEqual({ [PHONE]: UNVERIFIED, [TABLET]: UNVERIFIED })
  })
})

describe('e8 what people have compared in a beam', () => {
  it('goes when the beam has ended', async () => {
    beam.enter(mine)
    FakeSocket.newest.accepts({ expires_at: null, now: 1 })
    learnTrust(stores, OLD, PHONE, UNVERIFIED)
    FakeSocket.newest.onclose({ code: 4404 })
    await vi.waitFor(() => expect(stores.connection.getState()).toEqual({ status: 'stopped', why: 'ended' }))
    expect(localStorage.length).toBe(1)
    expect(localStorage.getItem('session')).not.toBeNull()
  })

  it('goes with the keys, a month after this browser was in the beam', () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const began = Date.now()
    const page = opensTab()
    learnTrust(page, OLD, PHONE, UNVERIFIED)
    learnTrust(page, NEW, TABLET, UNVERIFIED)
    vi.setSystemTime(began + 20 * DAY_MS)
    learnWelcome(page, NEW, undefined)
    sweepEntries(began + 29 * DAY_MS)
    expect(Object.keys(shownLater())).toEqual([PHONE])
    sweepEntries(began + 31 * DAY_MS)
    expect([shownLater(), Object.keys(shownLater(NEW))]).toEqual([{}, [TABLET]])
    sweepEntries(began + 51 * DAY_MS)
    expect(localStorage.length).toBe(0)
  })

  it('stays when a person leaves the beam, who may come back to it', () => {
    beam.enter(mine)
    FakeSocket.newest.accepts({ expires_at: null, now: 1 })
    learnTrust(stores, OLD, PHONE, UNVERIFIED)
    beam.leave()
    beam.enter(mine)
    expect(stores.trust.getState().devices).toEqual({ [PHONE]: UNVERIFIED })
    expect(ME in stores.trust.getState().devices).toBe(false)
  })
})
