import { expect, it } from 'vitest'
import type { ItemId } from '../../protocol/bindings'
import { pendingItem, textMessage } from '../../protocol/item'
import { createStores } from '../../stores/stores'
import { selectable } from './selection'

it('takes all notes, and with a search on only those that match', () => {
  const stores = createStores()
  const [milk, bread] = ['milk', 'bread'] as [ItemId, ItemId]
  const items = [milk, bread].map((id) => pendingItem(id, textMessage(id).message, 'text', 0))
  stores.items.setState({ items })
  expect(selectable(stores)).toEqual([milk, bread])
  stores.search.setState({ found: new Set([bread]) })
  expect(selectable(stores)).toEqual([bread])
})
