import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { newFileSeal } from '../crypto/file-keys'
import type { DeviceId, ItemId } from '../protocol/bindings'
import { liveItem, storedItemMessage } from '../protocol/item'
import { createStores, type Stores } from '../stores/stores'
import { SealedFile } from '../transport/sealed-file'
import { packFiles } from './packing'
import { learnPacks } from './packs'

const PACK = 'pack' as ItemId
const SEAL = newFileSeal()
let stores: Stores
let copy: Blob

beforeEach(() => {
  stores = createStores()
  learnPacks(stores)
  vi.stubGlobal('fetch', async (_: string, { headers }: { headers: { range: string } }) => {
    const [start = 0, last = 0] = headers.range.slice('bytes='.length).split('-').map(Number)
    return new Response(copy.slice(start, last + 1), { status: 206 })
  })
})
afterEach(() => vi.unstubAllGlobals())

it('e7_the_list_of_many_files_is_read_from_the_start_of_their_sealed_copy', async () => {
  const [pack] = await packFiles([new File(['a'], 'a.txt'), new File(['bc'], 'b.txt')])
  if (!pack) throw new Error('no pack')
  const { file, manifest } = pack
  const sealed = new SealedFile(file, SEAL)
  copy = await sealed.slice(0, sealed.size)
  const url = '/api/uploads/0123456789abcdef'
  const message = storedItemMessage({
    name: '2 files',
    size: file.size,
    type: file.type,
    manifest,
    seal: SEAL,
    url,
  })
  const item = liveItem({ id: PACK, seq: 1, from: 'ada' as DeviceId, at: 0, ...message }, null)
  stores.items.setState({ items: [item], epoch: 'e' })
  await vi.waitFor(() => expect(stores.packs.getState().lists[PACK]).toBeDefined())
  expect(stores.packs.getState().lists[PACK]).toMatchObject({ files: [{ path: 'a.txt' }, { path: 'b.txt' }] })
})
