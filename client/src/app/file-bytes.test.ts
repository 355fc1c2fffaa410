import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { newFileSeal } from '../crypto/file-keys'
import type { DeviceId, ItemId } from '../protocol/bindings'
import { fileItemMessage, liveItem, storedItemMessage } from '../protocol/item'
import { createStores, type Stores } from '../stores/stores'
import { SealedFile } from '../transport/sealed-file'
import { createReading } from './file-bytes'

const ID = 'plan' as ItemId
const URL = `/api/uploads/${'0123456789abcdef'.repeat(2)}`
const SEAL = newFileSeal()
const TEXT = 'the plan of the cabin '.repeat(2_000)

let stores: Stores
/** What the server has. */
let copy: Blob

beforeEach(() => {
  stores = createStores()
  vi.stubGlobal('fetch', async (_: string, { headers }: { headers: { range: string } }) => {
    const [start = 0, last = 0] = headers.range.slice('bytes='.length).split('-').map(Number)
    return new Response(copy.slice(start, last + 1), { status: 206 })
  })
})
afterEach(() => vi.unstubAllGlobals())

const isShared = (message: ReturnType<typeof fileItemMessage>) => {
  const item = liveItem({ id: ID, seq: 1, from: 'ada' as DeviceId, at: 0, ...message }, null)
  stores.items.setState({ items: [item], epoch: 'e' })
}
const facts = (size: number) => ({ name: 'plan.txt', size, type: 'text/plain' })
const reads = async (bytes: number) =>
  new TextDecoder().decode(await createReading(stores).readItem(ID, bytes))

it('e7_the_start_of_a_sealed_copy_is_opened_to_be_shown', async () => {
  const file = new File([TEXT], 'plan.txt')
  const sealed = new SealedFile(file, SEAL)
  copy = await sealed.slice(0, sealed.size)
  isShared(storedItemMessage({ ...facts(file.size), url: URL, seal: SEAL }))
  for (const bytes of [10, 20_000, file.size, 2 * file.size])
    expect(await reads(bytes)).toBe(TEXT.slice(0, bytes))
})

it('e7_a_sealed_copy_of_an_empty_file_has_no_bytes', async () => {
  isShared(storedItemMessage({ ...facts(0), url: URL, seal: SEAL }))
  expect(await reads(10)).toBe('')
})

it('e7_nothing_is_shown_of_a_copy_that_is_of_another_file', async () => {
  const sealed = new SealedFile(new File([TEXT], 'plan.txt'), newFileSeal())
  copy = await sealed.slice(0, sealed.size)
  isShared(storedItemMessage({ ...facts(TEXT.length), url: URL, seal: SEAL }))
  await expect(reads(10)).rejects.toThrow()
})

it('a clear copy is read as it is', async () => {
  copy = new Blob([TEXT])
  isShared(storedItemMessage({ ...facts(TEXT.length), url: URL }))
  expect(await reads(10)).toBe(TEXT.slice(0, 10))
})

it('what is neither here nor at the server cannot be read', async () => {
  isShared(fileItemMessage(facts(4)))
  await expect(reads(10)).rejects.toThrow()
})
