import { describe, expect, it } from 'vitest'
import type { DeviceId } from '../../protocol/bindings'
import { DIRECT } from '../../protocol/way'
import type { Transfer } from '../../stores/transfers'
import { canSave, fileView, fraction, isReceived } from './file-view'

const facts = {
  size: 100,
  storedUrl: null,
  sender: 'Chrome on macOS',
  nameOf: (id: DeviceId) => `the ${id}`,
  takers: [],
  canSaveAs: true,
}
const phone = 'phone' as DeviceId
const tablet = 'tablet' as DeviceId

describe('a file card', () => {
  it('shows nothing of a transfer that is not known', () => {
    expect(fileView(undefined, facts)).toEqual({ url: null, rows: [] })
  })

  it('offers to receive, and to pick a place where the browser can', () => {
    const offered: Transfer = { role: 'receiving', state: { status: 'offered' } }
    expect(fileView(offered, facts).rows[0]?.actions).toEqual(['receive', 'save-as'])
    expect(fileView(offered, { ...facts, canSaveAs: false }).rows[0]?.actions).toEqual(['receive'])
  })

  it('f9_is_complete_where_the_server_has_a_copy', () => {
    const view = fileView(undefined, { ...facts, storedUrl: '/api/uploads/x' })
    expect(view).toMatchObject({ url: '/api/uploads/x', rows: [{ status: 'done', way: 'stored' }] })
  })

  it('is shown from this device where the server has a copy as well', () => {
    const view = fileView(
      { role: 'sending', to: {}, url: 'blob:a' },
      { ...facts, storedUrl: '/api/uploads/x' },
    )
    expect(view).toMatchObject({ url: 'blob:a', rows: [{ status: 'done', way: 'stored' }] })
  })

  it('e7_is_complete_at_the_server_where_that_has_a_sealed_copy_and_comes_to_be_saved', () => {
    const sealed = { ...facts, storedUrl: '/api/uploads/x', isSealed: true }
    expect(fileView(undefined, sealed)).toEqual({ url: null, rows: [] })
    const looking: Transfer = { role: 'receiving', state: { status: 'looking' } }
    expect(canSave(fileView(looking, sealed))).toBe(false)
    for (const transfer of [
      { role: 'receiving', state: { status: 'offered' } },
      { role: 'receiving', state: { status: 'cancelled', by: 'me' } },
      { role: 'lost', asks: false, to: {} },
    ] satisfies Transfer[]) {
      const view = fileView(transfer, sealed)
      expect(view).toMatchObject({ url: null, rows: [{ status: 'done', way: 'stored', actions: [] }] })
      expect([canSave(view), isReceived(view)]).toEqual([true, true])
      // Without a copy there is nothing to save.
      expect(canSave(fileView(transfer, { ...sealed, storedUrl: null }))).toBe(false)
    }
    const parked = { status: 'parked', received: 0, needsDirect: false } as const
    const waiting = fileView({ role: 'receiving', state: parked }, { ...sealed, sender: 'Chrome' })
    expect(waiting.rows).toMatchObject([{ text: 'Waiting to start' }])
    const moving = { status: 'moving', received: 0, bytesPerSecond: 1, way: DIRECT } as const
    const view = fileView({ role: 'receiving', state: moving }, sealed)
    expect(view).toMatchObject({ url: null, rows: [{ status: 'moving', actions: ['pause', 'cancel'] }] })
    expect(canSave(view)).toBe(false)
    const here = { status: 'done', url: 'blob:a', way: DIRECT, isKept: true } as const
    expect(fileView({ role: 'receiving', state: here }, sealed)).toMatchObject({
      url: 'blob:a',
      rows: [{ status: 'done', way: 'stored' }],
    })
    expect(fileView({ role: 'sending', to: {}, url: 'blob:a' }, sealed)).toMatchObject({
      url: 'blob:a',
      rows: [{ status: 'done', way: 'stored' }],
    })
  })

  it('can be stopped on its way to the server', () => {
    const state = { status: 'moving', sent: 40, bytesPerSecond: 7 } as const
    const view = fileView({ role: 'storing', state, url: 'blob:a' }, facts)
    expect(view.rows).toMatchObject([{ bytes: 40, bytesPerSecond: 7, way: null, actions: ['cancel'] }])
  })

  it.each([
    [false, 'Waiting for Chrome on macOS'],
    [true, 'Waiting for a direct connection to Chrome on macOS'],
  ])('r6 says whether it waits for a device or for a direct connection (%s)', (needsDirect, text) => {
    const state = { status: 'parked', received: 40, needsDirect } as const
    const view = fileView({ role: 'receiving', state }, { ...facts, sender: 'Chrome on macOS' })
    expect(view.rows).toMatchObject([{ status: 'parked', bytes: 40, text, actions: ['pause', 'cancel'] }])
  })

  it('waits while no device has asked for it', () => {
    const view = fileView({ role: 'sending', to: {}, url: 'blob:a' }, facts)
    expect(view.rows).toMatchObject([{ status: 'waiting', text: 'Waiting for a device', actions: [] }])
    expect(view.url).toBe('blob:a')
  })

  it.each([
    [['Chrome on Android'], 'Offered to Chrome on Android'],
    [['Chrome on Android', 'Firefox on Linux', 'Safari on iPhone'], 'Offered to 3 devices'],
  ])('is offered while devices are here and none has asked for it', (takers, text) => {
    const view = fileView({ role: 'sending', to: {}, url: 'blob:a' }, { ...facts, takers })
    expect(view.rows).toMatchObject([{ status: 'waiting', text }])
  })

  it('has a row for each device that takes it', () => {
    const view = fileView(
      {
        role: 'sending',
        url: 'blob:a',
        to: {
          [phone]: { status: 'moving', sent: 40, bytesPerSecond: 10, way: DIRECT },
          [tablet]: { status: 'parked', sent: 60 },
        },
      },
      facts,
    )
    expect(view.rows).toMatchObject([
      { device: phone, bytes: 40, way: DIRECT, actions: ['pause', 'cancel'] },
      { device: tablet, bytes: 60, text: 'Waiting for the tablet' },
    ])
  })

  it.each([
    ['me', 'Paused', ['resume', 'cancel']],
    ['them', 'Paused by the phone', ['pause', 'cancel']],
  ] as const)('that is paused by %s goes on when that person resumes it', (by, text, actions) => {
    const comes = fileView(
      { role: 'receiving', state: { status: 'paused', received: 40, by } },
      { ...facts, sender: 'the phone' },
    )
    const goes = fileView(
      { role: 'sending', url: 'blob:a', to: { [phone]: { status: 'paused', sent: 40, by } } },
      facts,
    )
    for (const { rows } of [comes, goes])
      expect(rows).toMatchObject([{ status: 'paused', bytes: 40, text, actions }])
  })

  it('shows why it failed and offers to try again', () => {
    const failed: Transfer = {
      role: 'receiving',
      state: { status: 'failed', received: 27, why: { reason: 'diskFull' } },
    }
    expect(fileView(failed, facts).rows[0]).toMatchObject({
      text: 'There is no space left on this device. Make room, then try again.',
      actions: ['retry', 'cancel'],
    })
  })

  it('of an own file that a reload lost asks for the file, and does not try again by itself', () => {
    expect(fileView({ role: 'lost', asks: false, to: {} }, facts)).toMatchObject({
      url: null,
      rows: [{ text: 'This page was reloaded, so the file is no longer here.', actions: ['choose'] }],
    })
    expect(fileView({ role: 'lost', asks: true, to: {} }, facts).rows).toMatchObject([{ actions: ['allow'] }])
  })

  it('of an item that is many files (F16) says so, and asks for them where their list is known', () => {
    const row = (pack: 'listed' | 'unlisted', asks = false) =>
      fileView({ role: 'lost', asks, to: {} }, { ...facts, pack }).rows[0]
    const text = 'This page was reloaded, so the files are no longer here.'
    expect(row('listed')).toMatchObject({ text, actions: ['choose'] })
    expect(row('unlisted')).toMatchObject({ text, actions: [] })
    expect(row('listed', true)).toMatchObject({
      text: 'This page was reloaded. It may read the files again once you allow it.',
      actions: ['allow'],
    })
  })

  it('of an own file that a reload took says who has it, and asks for it only for a device that has not', () => {
    const lost = { role: 'lost', asks: false, to: { [phone]: { status: 'done', way: DIRECT } } } as const
    expect(fileView(lost, facts).rows).toMatchObject([{ device: phone, text: 'Complete', actions: [] }])
    expect(fileView(lost, { ...facts, takers: ['the tablet'] }).rows).toMatchObject([
      { status: 'lost', actions: ['choose'] },
      { device: phone, text: 'Complete' },
    ])
  })

  it('says who cancelled, and can be asked for again', () => {
    const by = (who: 'me' | 'them') =>
      fileView({ role: 'receiving', state: { status: 'cancelled', by: who } }, facts).rows[0]
    expect(by('me')).toMatchObject({ text: 'Cancelled', actions: ['receive', 'save-as'] })
    expect(by('them')).toMatchObject({
      text: 'Cancelled by Chrome on macOS',
      actions: ['receive', 'save-as'],
    })
  })
})

describe('the transferred part', () => {
  it('is at most 1, and 1 for an empty file', () => {
    expect(fraction(50, 100)).toBe(0.5)
    expect(fraction(101, 100)).toBe(1)
    expect(fraction(0, 0)).toBe(1)
  })

  it('that was received says whether it outlives the page', () => {
    const done = (isKept: boolean): Transfer => ({
      role: 'receiving',
      state: { status: 'done', url: 'blob:a', way: null, isKept },
    })
    expect(fileView(done(true), facts).rows).toMatchObject([{ text: 'Complete', way: null }])
    expect(fileView(done(false), facts).rows).toMatchObject([{ text: 'Complete, but only in this tab' }])
  })

  it('asks nothing while the disk is searched', () => {
    const looking: Transfer = { role: 'receiving', state: { status: 'looking' } }
    expect(fileView(looking, facts).rows).toMatchObject([{ text: '', bytes: null, actions: [] }])
  })
})
