import { IDBFactory } from 'fake-indexeddb'
import 'fake-indexeddb/auto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { newFileSeal } from '../crypto/file-keys'
import type { BeamId, ItemId } from '../protocol/bindings'
import { createStores } from '../stores/stores'
import { UploadPlaces, uploadKey } from '../transport/upload-places'
import type { Context } from './context'
import { sayWhatStaysHere, withoutRoom } from './file-room'
import { createToaster } from './toaster'

const BEAM = 'beam' as BeamId

const files = (...sizes: number[]) =>
  sizes.map((size, at) => ({
    id: `${at}` as ItemId,
    file: { size } as File,
    name: `${at}.bin`,
    url: '',
  }))
const staying = (sizes: number[], largest: number, free: number) =>
  withoutRoom(files(...sizes), { largest, free }).map(({ id }) => id)

describe('f13_files_without_room', () => {
  it('are none when all fit to the byte', () => {
    expect(staying([4, 6], 10, 10)).toEqual([])
  })

  it('are those larger than the largest, and those for which the ones before leave no room', () => {
    expect(staying([11, 6, 5, 4], 10, 10)).toEqual(['0', '2'])
  })

  it('e7_are_measured_as_the_server_stores_them_which_is_sealed', () => {
    const sealed = files(10).map((file) => ({ ...file, seal: newFileSeal() }))
    expect(withoutRoom(sealed, { largest: 82, free: 82 })).toEqual([])
    expect(withoutRoom(sealed, { largest: 81, free: 81 })).toEqual(sealed)
  })

  it('are all but empty ones when the store is full', () => {
    expect(staying([1, 0], 0, 0)).toEqual(['0'])
  })
})

describe('f13_what_stays_here', () => {
  afterEach(() => vi.unstubAllGlobals())

  it('is no file whose upload goes on after a reload, for which the room is reserved', async () => {
    vi.stubGlobal('indexedDB', new IDBFactory())
    vi.stubGlobal('fetch', async () => new Response('{"largest": 3, "free": 3}'))
    const stores = createStores()
    const session = { beamId: BEAM, beamKey: null, beamName: '', expiresAt: null }
    stores.session.setState({ status: 'set', session }, true)
    const context = { stores, toaster: createToaster(stores.toasts) } as Context
    const outgoing = (id: string) => ({ id: id as ItemId, file: new File(['four'], id), name: id, url: '' })
    const [goesOn, begins] = [outgoing('a'), outgoing('b')]
    await new UploadPlaces().keep(uploadKey(BEAM, goesOn.id), '/api/tus/1')

    expect([...(await sayWhatStaysHere(context, [goesOn, begins]))]).toEqual(['b'])
    expect(stores.toasts.getState()).toMatchObject({ toasts: [{ text: expect.stringContaining('“b”') }] })
  })
})
