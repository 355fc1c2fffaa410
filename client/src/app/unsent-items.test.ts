import { beforeEach, expect, it } from 'vitest'
import type { BeamId, DeviceId, ItemId } from '../protocol/bindings'
import { fileItemMessage, liveItem, pendingItem } from '../protocol/item'
import { type ItemsEvent, reduceItems } from '../stores/items'
import { tabStorage } from '../stores/site-storage'
import { createStores, type Stores } from '../stores/stores'
import type { LiveBeam } from '../transport/live-beam'
import { keepUnsentItems } from './unsent-items'

const BEAM = '0b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
const OTHER = '1b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
const ID = 'a' as ItemId

let stores: Stores
let sent: unknown[]

/** A page that is loaded. What the tab has stored stays. */
function load(): void {
  stores = createStores()
  sent = []
  const live = { share: (_id: ItemId, message: unknown) => sent.push(message) } as Partial<LiveBeam>
  keepUnsentItems({ stores, live: () => live as LiveBeam })
}

const enters = async (beamId: BeamId) => {
  const session = { beamId, beamKey: null, beamName: '', expiresAt: null }
  stores.session.setState({ status: 'set', session }, true)
  await Promise.resolve()
}
const happens = (event: ItemsEvent) => stores.items.setState((state) => reduceItems(state, event), true)
const shares = (message: unknown, extra = 'text', id = ID) =>
  happens({ type: 'shared', item: pendingItem(id, message, extra, 0) })
const texts = () => stores.items.getState().items.map(({ message }) => message)

beforeEach(async () => {
  tabStorage.removeItems('')
  load()
  await enters(BEAM)
})

it('a text that the server does not have is shared again after a reload', async () => {
  shares('hello')
  load()
  await enters(BEAM)
  expect(sent).toEqual(['hello'])
  expect(texts()).toEqual(['hello'])
})

it('a text that the server has, or that was deleted, is not', async () => {
  const here = { id: ID, message: 'hello', extra: 'text', seq: 1, from: 'me' as DeviceId, at: 0 }
  shares('hello')
  happens({ type: 'received', item: liveItem(here, null) })
  shares('gone', 'text', 'b' as ItemId)
  happens({ type: 'deleted', message: 'gone', id: 'b' as ItemId })
  load()
  await enters(BEAM)
  expect(sent).toEqual([])
})

it('nothing goes into another beam, and what was not sent to a beam that is left is given up', async () => {
  shares('hello')
  load()
  await enters(OTHER)
  expect(sent).toEqual([])
  load()
  await enters(BEAM)
  shares('hello')
  happens({ type: 'left' })
  load()
  await enters(BEAM)
  expect(sent).toEqual([])
})

it('a file is not kept, because its bytes are lost', async () => {
  const { message, extra } = fileItemMessage({ name: 'a.bin', size: 3, type: '' })
  shares(message, extra)
  load()
  await enters(BEAM)
  expect(sent).toEqual([])
})

it('what the storage has in another shape is ignored', async () => {
  tabStorage.setItem('unsent', '{"beam":7}')
  load()
  await enters(BEAM)
  expect(sent).toEqual([])
})
