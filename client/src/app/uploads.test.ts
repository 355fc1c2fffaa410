import { beforeEach, describe, expect, it } from 'vitest'
import type { BeamId, DeviceId, ItemId } from '../protocol/bindings'
import { reduceDevices } from '../stores/devices'
import { reduceItems } from '../stores/items'
import { createStores, type Stores } from '../stores/stores'
import type { UploadEvents } from '../transport/upload'
import { createUploads, type OutgoingFile, type Uploads } from './uploads'

const BEAM = 'beam' as BeamId
const file = new File(['four'], 'a.png', { type: 'image/png' })
const outgoing: OutgoingFile = { id: 'item' as ItemId, file, name: 'a.png', url: 'blob:a' }

let stores: Stores
let uploads: Uploads
let server: UploadEvents
let cancelled: number
let shared: unknown[]
let failures: number

beforeEach(() => {
  stores = createStores()
  cancelled = 0
  shared = []
  failures = 0
  uploads = createUploads(stores, (_file, _beam, events) => {
    server = events
    return () => {
      cancelled += 1
    }
  })
})

const start = () =>
  uploads.start(outgoing, BEAM, {
    onStored: (message, extra) => shared.push({ message, extra }),
    onFailed: () => {
      failures += 1
    },
  })
const transfer = () => stores.transfers.getState().transfers[outgoing.id]

describe('a file towards the store', () => {
  it('goes there when it is media and nobody is here to take it', () => {
    expect(uploads.wants(file)).toBe(true)
    expect(uploads.wants(new File([''], 'a.zip', { type: 'application/zip' }))).toBe(false)
    const phone = { device_id: 'p' as DeviceId, name: 'Phone', caps: ['files' as const] }
    stores.devices.setState((state) => reduceDevices(state, { type: 'listed', devices: [phone] }), true)
    expect(uploads.wants(file)).toBe(false)
  })

  it('is shown at once, with how far it is', () => {
    start()
    expect(stores.items.getState().items).toMatchObject([{ id: 'item', seq: null }])
    expect(transfer()).toMatchObject({ role: 'storing', state: { status: 'moving', sent: 0 } })
  })

  it('f9_is_shared_with_its_address_once_the_server_has_it', () => {
    start()
    const stored = { id: 'x', url: '/api/uploads/x', name: 'a.png', size: 4, type: 'image/png' }
    server.onEnd({ ...stored, expires_at: null })
    expect(shared).toEqual([
      { message: { file: { name: 'a.png', size: 4, type: 'image/png', url: stored.url } }, extra: 'image' },
    ])
    expect(transfer()).toMatchObject({ role: 'storing', state: { status: 'done' } })
  })

  it('says when the server does not take it', () => {
    start()
    server.onEnd(null)
    expect(failures).toBe(1)
    expect(shared).toEqual([])
  })

  it('ends with its item, by deleting or by leaving the beam', () => {
    start()
    stores.items.setState((state) => reduceItems(state, { type: 'left' }), true)
    expect(cancelled).toBe(1)
    stores.items.setState((state) => reduceItems(state, { type: 'left' }), true)
    expect(cancelled).toBe(1)
  })
})
