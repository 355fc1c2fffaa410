import { beforeEach, describe, expect, it } from 'vitest'
import type { DeviceId, ItemId } from '../protocol/bindings'
import { pendingItem, textMessage } from '../protocol/item'
import { createStores, type Stores } from '../stores/stores'
import { keepSearch } from './searching'

let stores: Stores
beforeEach(() => {
  stores = createStores()
  keepSearch(stores)
})

function has(...texts: readonly string[]) {
  const items = texts.map((text) => {
    const { message, extra } = textMessage(text)
    return pendingItem(text as ItemId, message, extra, 0)
  })
  stores.items.setState({ items })
}
const found = () => stores.search.getState().found

describe('what is found', () => {
  it('follows the items', () => {
    has('lake', 'cabin')
    stores.search.setState({ text: 'la' })
    expect(found()).toEqual(new Set(['lake']))
    has('lake', 'cabin', 'lamp')
    expect(found()).toEqual(new Set(['lake', 'lamp']))
  })

  it('stays the same object while it is the same, so that nothing is drawn again', () => {
    has('lake', 'cabin')
    stores.search.setState({ text: 'la' })
    const before = found()
    stores.search.setState({ text: 'lak' })
    expect(found()).toBe(before)
  })

  it('follows the names of devices', () => {
    has('lake')
    const from = 'd' as DeviceId
    stores.items.setState(({ items }) => ({ items: items.map((item) => ({ ...item, from })) }))
    stores.search.setState({ text: 'iphone' })
    expect(found()).toEqual(new Set())
    stores.devices.setState({ names: { [from]: 'Safari on iPhone' } })
    expect(found()).toEqual(new Set(['lake']))
  })

  it('ends when the beam is left, and when an item is pointed out that it hides', () => {
    has('lake', 'cabin')
    stores.search.setState({ text: 'lake' })
    stores.pointedOut.setState({ id: 'cabin' as ItemId, times: 1 })
    expect(stores.search.getState()).toEqual({ text: '', kind: null, found: null })
    stores.search.setState({ text: 'lake' })
    has()
    expect(found()).toBeNull()
  })
})
