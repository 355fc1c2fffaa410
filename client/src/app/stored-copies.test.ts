import { beforeEach, describe, expect, it } from 'vitest'
import type { BeamId, DeviceId, ItemId, Role, UploadedFile } from '../protocol/bindings'
import { pendingItem } from '../protocol/item'
import { reduceDevices } from '../stores/devices'
import { reduceItems } from '../stores/items'
import { createStores, type Stores } from '../stores/stores'
import type { UploadEnd, UploadEvents } from '../transport/upload'
import { type OutgoingFile, StoredCopies } from './stored-copies'

const BEAM = 'beam' as BeamId

const outgoing = (id: string, type = 'image/png'): OutgoingFile => ({
  id: id as ItemId,
  file: new File(['four'], `${id}.png`, { type }),
  name: `${id}.png`,
  url: `blob:${id}`,
})
const STORED: UploadedFile = {
  id: 'x',
  url: '/api/uploads/x',
  name: 'x.png',
  size: 4,
  type: 'image/png',
  expires_at: null,
}

/** The uploads under way, by file name. */
let under: Map<string, UploadEvents>
let cancelled: string[]
let stores: Stores
let copies: StoredCopies
let shared: { id: string; message: unknown; extra: string }[]
let ends: string[]

beforeEach(() => {
  stores = createStores()
  under = new Map()
  cancelled = []
  shared = []
  ends = []
  const upload = (file: File, _beam: BeamId, events: UploadEvents) => {
    under.set(file.name, events)
    return () => {
      under.delete(file.name)
      cancelled.push(file.name)
    }
  }
  copies = new StoredCopies(stores, upload, (id, message, extra) => shared.push({ id, message, extra }))
  const session = { beamId: BEAM, beamKey: null, beamName: '', expiresAt: null }
  stores.session.setState({ status: 'set', session }, true)
})

const answer = (name: string, end: UploadEnd) => {
  const events = under.get(name)
  under.delete(name)
  events?.onEnd(end)
}
const isStored = (name: string) => answer(name, { status: 'stored', file: STORED })
const first = () => copies.storeFirst(outgoing('a'), BEAM, (end) => ends.push(end))
/** Makes a file that devices receive from here, and shows it as this device's own item. */
const hold = (file: OutgoingFile) => {
  const item = pendingItem(file.id, file.name, 'file', 0)
  stores.items.setState((state) => reduceItems(state, { type: 'shared', item }), true)
  copies.storeBeside(file)
}
const enterSaved = (role: Role = 'write') =>
  stores.access.setState({ kind: 'saved', saved: { beam_name: 'Cabin', role, link_access: 'write' } }, true)
const transfer = (id: string) => stores.transfers.getState().transfers[id as ItemId]
const names = () => [...under.keys()]

describe('a file that is uploaded before it is shared', () => {
  it('is a medium, while no other device is here', () => {
    expect(copies.comesFirst(outgoing('a').file)).toBe(true)
    expect(copies.comesFirst(outgoing('a', 'application/zip').file)).toBe(false)
    const phone = { device_id: 'p' as DeviceId, name: 'Phone', caps: ['files' as const] }
    stores.devices.setState((state) => reduceDevices(state, { type: 'listed', devices: [phone] }), true)
    expect(copies.comesFirst(outgoing('a').file)).toBe(false)
  })

  it('is shown at once, with its progress', () => {
    first()
    expect(stores.items.getState().items).toMatchObject([{ id: 'a', seq: null }])
    expect(transfer('a')).toMatchObject({ role: 'storing', state: { status: 'moving', sent: 0 } })
  })

  it('f9_is_shared_with_its_address_once_the_server_has_it', () => {
    first()
    isStored('a.png')
    const file = { name: 'a.png', size: 4, type: 'image/png', url: STORED.url }
    expect(shared).toEqual([{ id: 'a', message: { file }, extra: 'image' }])
    expect(transfer('a')).toMatchObject({ role: 'storing', state: { status: 'done' } })
    expect(ends).toEqual(['stored'])
  })

  it.each(['refused', 'unreachable'] as const)('says when the server does not take it (%s)', (status) => {
    first()
    answer('a.png', { status })
    expect(ends).toEqual([status])
    expect(shared).toEqual([])
  })

  it('ends with its item, by deleting or by leaving the beam', () => {
    first()
    stores.items.setState((state) => reduceItems(state, { type: 'left' }), true)
    stores.items.setState((state) => reduceItems(state, { type: 'left' }), true)
    expect(cancelled).toEqual(['a.png'])
  })
})

describe('a file that devices receive from here', () => {
  it('is stored in a saved beam as well, and then shared with its address', () => {
    enterSaved()
    hold(outgoing('a'))
    expect(names()).toEqual(['a.png'])
    isStored('a.png')
    expect(shared).toMatchObject([{ id: 'a', message: { file: { url: STORED.url } }, extra: 'image' }])
    // The direct transfer goes on: the card still shows a file that is received from here.
    expect(transfer('a')).toBeUndefined()
  })

  it('is stored once the beam is saved, one after the other', () => {
    hold(outgoing('a'))
    hold(outgoing('b'))
    expect(names()).toEqual([])
    enterSaved()
    expect(names()).toEqual(['a.png'])
    isStored('a.png')
    expect(names()).toEqual(['b.png'])
    isStored('b.png')
    expect(shared.map(({ id }) => id)).toEqual(['a', 'b'])
  })

  it('is not uploaded again after a refusal, and the next one is', () => {
    enterSaved()
    hold(outgoing('a'))
    hold(outgoing('b'))
    answer('a.png', { status: 'refused' })
    expect(names()).toEqual(['b.png'])
    isStored('b.png')
    enterSaved()
    expect(names()).toEqual([])
  })

  it('is uploaded at the next welcome after a failure of the network', () => {
    enterSaved()
    hold(outgoing('a'))
    answer('a.png', { status: 'unreachable' })
    expect(names()).toEqual([])
    enterSaved()
    expect(names()).toEqual(['a.png'])
  })

  it('is not uploaded without the right to share, or when it is not a medium', () => {
    enterSaved('read')
    hold(outgoing('a'))
    enterSaved('read')
    expect(names()).toEqual([])
    enterSaved()
    isStored('a.png')
    hold(outgoing('zip', 'application/zip'))
    expect(names()).toEqual([])
  })

  it('is not uploaded once it is deleted, and the next one is', () => {
    enterSaved()
    hold(outgoing('a'))
    hold(outgoing('b'))
    const gone = { type: 'deleted', message: null, id: 'a' as ItemId } as const
    stores.items.setState((state) => reduceItems(state, gone), true)
    expect(cancelled).toEqual(['a.png'])
    expect(names()).toEqual(['b.png'])
  })
})
