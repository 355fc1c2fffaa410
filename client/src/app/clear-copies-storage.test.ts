// @vitest-environment jsdom
/** Who is sent what in clear text outlives the page (E12), and a device that is sent nothing more stays so. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { DeviceId } from '../protocol/bindings'
import { copyId } from '../protocol/clear-copy'
import { pendingItem } from '../protocol/item'
import { createStores, type Stores } from '../stores/stores'
import { moveEntries, sweepEntries } from './beam-entries'
import { createClearCopiesChoice, keepClearCopies, loadClearCopies } from './clear-copies'
import { haveChoicesGone, readMade, storeMade } from './clear-copies-storage'
import {
  beam,
  begins,
  context,
  DAY_MS,
  FakeSocket,
  ITEM,
  ME,
  mine,
  NEW,
  OLD,
  PHONE,
  RENEWED,
  stores,
  told,
} from './current-beam-stage'

const TABLET = '41234567-89ab-8cde-8f01-23456789abcd' as DeviceId
const NO_TRANSFERS = { offered: () => null, tell: () => {} }

beforeEach(begins)
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

/** Opens the beam in another tab. */
function opensTab(id = OLD): Stores {
  const tab = createStores()
  tab.session.setState({ status: 'set', session: { ...mine, beamId: id } }, true)
  loadClearCopies(tab, id)
  return tab
}

/** Those that a page sends to that opens the beam now. */
const sentToLater = (id = OLD) => [...opensTab(id).clearCopies.getState().to]
const choiceIn = (tab: Stores) => createClearCopiesChoice(tab, NO_TRANSFERS).sendInClear

it('e12 what is chosen in one tab brings nothing back that was withdrawn in another', () => {
  const first = opensTab()
  choiceIn(first)(PHONE, true)
  const second = opensTab()
  choiceIn(first)(PHONE, false)
  choiceIn(second)(TABLET, true)
  expect(sentToLater()).toEqual([TABLET])
})

describe('e12 what is chosen in one tab', () => {
  /** What the browser tells this page of what another tab has stored of the beam. */
  const hears = (device = PHONE) =>
    dispatchEvent(new StorageEvent('storage', { key: `clear-copies:${OLD}:${device}` }))

  it('is chosen in another one of that beam, until it is withdrawn there', () => {
    const [first, second] = [opensTab(), opensTab()]
    second.devices.setState({ me: ME })
    second.items.setState({ items: [pendingItem(ITEM, 'a file', 'file', 0)] })
    const tell = vi.fn()
    keepClearCopies(second, { offered: () => new Blob(), tell })
    choiceIn(first)(PHONE, true)
    hears()
    expect([...second.clearCopies.getState().to]).toEqual([PHONE])
    expect(tell).not.toHaveBeenCalled()
    choiceIn(first)(PHONE, false)
    hears()
    expect(second.clearCopies.getState().to.size).toBe(0)
    expect(tell).toHaveBeenCalledWith({ do: 'cancel', id: copyId(ITEM, ME, PHONE), device: PHONE })
  })

  it('is there under the new id of the beam also for a tab that follows later', () => {
    beam.enter(mine)
    keepClearCopies(stores, NO_TRANSFERS)
    choiceIn(stores)(PHONE, true)
    moveEntries(OLD, NEW)
    hears()
    beam.renewed(OLD, RENEWED, false)
    expect([...stores.clearCopies.getState().to]).toEqual([PHONE])
  })

  it('is known to have moved by whoever hears that an entry of it is gone', () => {
    choiceIn(opensTab())(PHONE, true)
    const known: boolean[] = []
    const remove = Storage.prototype.removeItem
    const removing = vi.spyOn(Storage.prototype, 'removeItem').mockImplementation(function (
      this: Storage,
      key,
    ) {
      remove.call(this, key)
      if (key === `clear-copies:${OLD}:${PHONE}`) known.push(haveChoicesGone(OLD))
    })
    moveEntries(OLD, NEW)
    removing.mockRestore()
    expect(known).toEqual([true])
  })

  describe('goes on being offered by a tab that follows the beam to its new id later', () => {
    const ended = () => told.filter((one) => one.do === 'cancel' || one.do === 'forget')
    const sentTo = () => [...stores.clearCopies.getState().to]

    beforeEach(() => {
      context.transfers.offered = () => new Blob()
      beam.enter(mine)
      keepClearCopies(stores, context.transfers)
      choiceIn(stores)(PHONE, true)
      stores.devices.setState({ me: ME })
      stores.items.setState({ items: [pendingItem(ITEM, 'a file', 'file', 0, PHONE)] })
      moveEntries(OLD, NEW)
      hears()
    })

    it('which sends nothing new until then: the choice may have been taken back there', () => {
      expect([sentTo(), ended()]).toEqual([[], []])
    })

    it('and after that', () => {
      beam.renewed(OLD, RENEWED, false)
      expect([sentTo(), ended()]).toEqual([[PHONE], []])
    })

    it('unless it was taken back there', () => {
      choiceIn(opensTab(NEW))(PHONE, false)
      beam.renewed(OLD, RENEWED, false)
      expect([sentTo(), ended()]).toEqual([
        [],
        [
          { do: 'cancel', id: ITEM, device: PHONE },
          { do: 'forget', id: ITEM },
        ],
      ])
    })
  })
})

describe('e12 what is stored of a beam', () => {
  beforeEach(() => {
    choiceIn(opensTab())(PHONE, true)
    storeMade(OLD, ME, [ITEM])
  })

  it('goes along when the link of the beam that the page is in is renewed', () => {
    beam.enter(mine)
    beam.renewed(OLD, RENEWED, true)
    expect([sentToLater(NEW), readMade(NEW, ME)]).toEqual([[PHONE], [ITEM]])
    expect([sentToLater(), readMade(OLD, ME)]).toEqual([[], []])
  })

  it('goes along when that of another beam is', () => {
    beam.renewed(OLD, RENEWED, true)
    expect([sentToLater(NEW), readMade(NEW, ME)]).toEqual([[PHONE], [ITEM]])
  })

  it('goes when the beam has ended', async () => {
    beam.enter(mine)
    FakeSocket.newest.accepts({ expires_at: null, now: 1 })
    FakeSocket.newest.onclose({ code: 4404 })
    await vi.waitFor(() => expect(stores.connection.getState()).toEqual({ status: 'stopped', why: 'ended' }))
    expect([sentToLater(), readMade(OLD, ME)]).toEqual([[], []])
  })

  it('goes a month after this browser was in the beam', () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const began = Date.now()
    vi.setSystemTime(began + 20 * DAY_MS)
    opensTab()
    sweepEntries(began + 49 * DAY_MS)
    expect(readMade(OLD, ME)).toEqual([ITEM])
    sweepEntries(began + 51 * DAY_MS)
    expect(Object.keys(localStorage).filter((key) => key.includes('copies'))).toEqual([])
  })
})
