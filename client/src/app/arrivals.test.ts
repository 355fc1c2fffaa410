import { beforeEach, describe, expect, it } from 'vitest'
import type { BeamId, DeviceId, ItemId } from '../protocol/bindings'
import { fileItemMessage, type Item, liveItem } from '../protocol/item'
import { reduceItems } from '../stores/items'
import { createStores, type Stores } from '../stores/stores'
import { tellArrivals } from './arrivals'

const ME = 'me' as DeviceId
const OTHER = 'other' as DeviceId

let stores: Stores
let hidden: boolean
let now: number
let changed: () => void
let badges: number[]
let rings: string[]
let withdrawn: number

beforeEach(() => {
  stores = createStores()
  stores.devices.setState({ me: ME })
  const session = { beamId: 'b' as BeamId, beamKey: null, beamName: 'Cabin', expiresAt: null }
  stores.session.setState({ status: 'set', session }, true)
  hidden = false
  now = 0
  badges = []
  rings = []
  withdrawn = 0
  tellArrivals(stores, {
    isHidden: () => hidden,
    onChange: (then) => {
      changed = then
    },
    now: () => now,
    badge: (unseen) => badges.push(unseen),
    notify: (title, body, isSilent) => rings.push(`${title}, ${body}${isSilent ? ', silent' : ''}`),
    withdraw: () => {
      withdrawn += 1
    },
  })
  synced()
})

let seq = 0
const itemOf = (id: string, from: DeviceId): Item => {
  seq += 1
  return liveItem({ id: id as ItemId, seq, from, at: 0, message: id, extra: 'text' }, null)
}
const synced = (...items: readonly Item[]) => {
  const event = { type: 'synced', epoch: 'e', oldest: 1, items, saved: false } as const
  stores.items.setState((state) => reduceItems(state, event), true)
}
const arrives = (id: string, from = OTHER) => {
  const item = itemOf(id, from)
  stores.items.setState((state) => reduceItems(state, { type: 'received', item }), true)
}
const hides = (is: boolean) => {
  hidden = is
  changed()
}
const unseen = () => stores.arrivals.getState().unseen

describe('what others share', () => {
  it('is not new when it is older than what is known', () => {
    const old = itemOf('old', OTHER)
    arrives('new')
    hides(true)
    stores.items.setState((state) => reduceItems(state, { type: 'received', item: old }), true)
    expect(unseen()).toBe(0)
  })

  it('is counted as the cards that are shown', () => {
    const batch = { id: '5b1f4a52-7d0e-4c3b-9a41-2f6d8e0c7b13' as ItemId, count: 2 }
    hides(true)
    for (const index of [0, 1]) {
      seq += 1
      const { message, extra } = fileItemMessage({ name: 'a', size: 1, type: '', batch: { ...batch, index } })
      const item = liveItem({ id: `f${index}` as ItemId, seq, from: OTHER, at: 0, message, extra }, null)
      stores.items.setState((state) => reduceItems(state, { type: 'received', item }), true)
    }
    expect(unseen()).toBe(1)
  })

  it('is counted while the page is hidden, and seen when it is shown', () => {
    arrives('a')
    hides(true)
    arrives('b')
    arrives('c')
    expect(unseen()).toBe(2)
    hides(false)
    expect(unseen()).toBe(0)
    expect(badges).toEqual([1, 2, 0])
    expect(withdrawn).toBe(1)
    arrives('d')
    expect(unseen()).toBe(0)
  })

  it('is counted once, when it comes again or is edited', () => {
    hides(true)
    arrives('a')
    arrives('a')
    expect(unseen()).toBe(1)
  })

  it("does not include this device's own items, nor what is in a beam that the page enters", () => {
    hides(true)
    arrives('a', ME)
    stores.items.setState((state) => reduceItems(state, { type: 'left' }), true)
    synced(itemOf('old', OTHER))
    expect(unseen()).toBe(0)
    arrives('new')
    expect(unseen()).toBe(1)
  })

  it('rings once for a burst, and only for who asked for it', () => {
    hides(true)
    arrives('a')
    expect(rings).toEqual([])
    stores.arrivals.setState({ notifying: 'on' })
    arrives('b')
    now = 9_999
    arrives('c')
    now = 19_999
    arrives('d')
    expect(rings).toEqual(['2 new items, Cabin', '3 new items, Cabin, silent', '4 new items, Cabin'])
  })
})
