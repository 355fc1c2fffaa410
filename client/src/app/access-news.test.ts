// @vitest-environment jsdom
import { beforeEach, describe, expect, it } from 'vitest'
import type { BeamId, DeviceId, SavedBeam, Welcome } from '../protocol/bindings'
import { createStores, type Stores } from '../stores/stores'
import { AccessNews } from './access-news'
import { createToaster } from './toaster'

const saved = (change: Partial<SavedBeam> = {}): SavedBeam => ({
  beam_name: 'Cabin',
  role: 'owner',
  link_access: 'write',
  by_link: false,
  ...change,
})

const welcome: Welcome = {
  device_id: 'me' as DeviceId,
  ice_servers: [],
  expires_at: 1,
  now: 1,
  creator: true,
  saved: null,
}

let stores: Stores
let news: AccessNews

beforeEach(() => {
  localStorage.clear()
  stores = createStores()
  const session = {
    beamId: '0b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId,
    beamKey: null,
    beamName: '',
    expiresAt: 1,
  }
  stores.session.setState({ status: 'set', session }, true)
  news = new AccessNews(stores, createToaster(stores.toasts))
})

const name = () => {
  const state = stores.session.getState()
  return state.status === 'set' ? state.session.beamName : null
}
const toasts = () => stores.toasts.getState().toasts.map(({ text }) => text)

describe('news of the beam', () => {
  it('s21_a_saved_beam_has_its_name_everywhere_and_after_a_reload', async () => {
    const saving = news.save(() => true)
    news.hear({ type: 'beam_saved', message: saved() })
    expect(await saving).toBeNull()
    expect(name()).toBe('Cabin')
    expect(localStorage.getItem('session')).toContain('"beam_name":"Cabin"')
    expect(stores.access.getState()).toEqual({ kind: 'saved', saved: saved() })
  })

  it('s21_a_refusal_answers_the_pending_save', async () => {
    const saving = news.save(() => true)
    expect(news.refused(Promise.resolve('Only its creator can save a beam.'))).toBe(true)
    expect(await saving).toBe('Only its creator can save a beam.')
    expect(news.refused(Promise.resolve('Something else.'))).toBe(false)
  })

  it('stops waiting for an answer when the socket is lost', async () => {
    expect(await news.save(() => false)).toContain('Not connected')
    const saving = news.save(() => true)
    news.lost()
    expect(await saving).toContain('Not connected')
  })

  it('s23_a_new_name_is_stored', () => {
    news.hear({ type: 'beam_saved', message: saved() })
    news.hear({ type: 'beam_renamed', message: 'Cottage' })
    expect(name()).toBe('Cottage')
  })

  it('s24_a_change_of_level_is_shown_once_when_it_matters', () => {
    news.hear({ type: 'beam_saved', message: saved({ role: 'write' }) })
    news.hear({ type: 'access_changed', message: saved({ role: 'admin' }) })
    expect(toasts()).toEqual([])
    news.hear({ type: 'access_changed', message: saved({ role: 'read' }) })
    expect(toasts()).toEqual(['You can only read in this beam now.'])
    news.shutOut()
    expect(toasts()).toEqual([])
  })

  it('s30_the_time_of_a_keeping_is_shown_by_this_devices_clock_and_the_beam_lives_as_long', () => {
    const hour = 3_600_000
    const by = 'me' as DeviceId
    // The server's clock is an hour ahead.
    const now = Date.now() + hour
    news.hear({ type: 'welcome', message: { ...welcome, now, expires_at: now + 5 } })
    news.hear({ type: 'kept', message: { until: now + hour, by } })

    const until = stores.keeping.getState().kept?.until ?? 0
    expect(until - Date.now()).toBeGreaterThan(hour - 1000)
    expect(until - Date.now()).toBeLessThanOrEqual(hour)
    const session = stores.session.getState()
    expect(session.status === 'set' && session.session.expiresAt).toBe(until)
    news.hear({ type: 'kept', message: null })
    expect(stores.keeping.getState().kept).toBeNull()
    expect(toasts()).toEqual([
      expect.stringMatching(/^Kept until .*\d\d:\d\d$/),
      'This beam is no longer kept.',
    ])
  })

  it('s31_a_beam_that_lost_what_was_shared_in_it_is_known_as_such', () => {
    news.hear({ type: 'welcome', message: { ...welcome, forgotten: true } })
    expect(stores.keeping.getState().isForgotten).toBe(true)
    news.hear({ type: 'welcome', message: welcome })
    expect(stores.keeping.getState().isForgotten).toBe(false)
  })
})
