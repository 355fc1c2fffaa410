// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { newFileSeal } from '../crypto/file-keys'
import type { DeviceId, ItemId } from '../protocol/bindings'
import { fileItemMessage, liveItem, storedItemMessage } from '../protocol/item'
import { createStores, type Stores } from '../stores/stores'
import { SealedFile } from '../transport/sealed-file'
import type { Transfers } from '../transport/transfers'
import type { ItemChannel } from './context'
import { createSendingOn } from './sending-on'
import { createToaster } from './toaster'

const PHONE = 'phone' as DeviceId
const ID = 'a' as ItemId
const shareCopy = vi.fn()
const share = vi.fn()
const cameClear = vi.fn()

let stores: Stores
let offered: File | null

const has = (message: unknown, extra: string) => {
  const item = liveItem({ id: ID, seq: 1, from: 'desk' as DeviceId, at: 0, message, extra }, null)
  stores.items.setState({ items: [item] })
}
const sends = async () => {
  const transfers = { offered: () => offered } as Partial<Transfers> as Transfers
  const live = { share, cameClear } as Partial<ItemChannel> as ItemChannel
  const context = { stores, transfers, toaster: createToaster(stores.toasts), live: () => live }
  await createSendingOn(context, shareCopy).sendItem(ID, PHONE)
  return stores.toasts.getState().toasts.map(({ text }) => text)
}

beforeEach(() => {
  vi.clearAllMocks()
  stores = createStores()
  stores.devices.setState({ names: { [PHONE]: 'Safari on iPhone' } })
  offered = null
})

afterEach(() => vi.unstubAllGlobals())

it('s33_a_text_is_sent_on_as_a_copy_with_an_id_of_its_own', async () => {
  has('hi', 'text')
  expect(await sends()).toEqual(['Sent to Safari on iPhone'])
  const [id, ...rest] = share.mock.calls[0] ?? []
  expect(id).not.toBe(ID)
  expect(rest).toEqual(['hi', 'text', PHONE, []])
  expect(stores.items.getState().items.map(({ to }) => to)).toEqual([undefined, PHONE])
})

it('e12_what_came_in_clear_text_is_marked_when_it_is_sent_on', async () => {
  has('hi', 'text')
  stores.items.setState(({ items }) => ({
    items: items.map((item) => ({ ...item, isClear: true as const })),
  }))
  await sends()
  const [id] = share.mock.calls[0] ?? []
  expect(cameClear).toHaveBeenCalledExactlyOnceWith(id)
  expect(stores.items.getState().items.map(({ isClear }) => isClear)).toEqual([true, true])
})

it.each([undefined, { files: 1, bytes: 2 }])(
  's33_a_file_of_this_device_is_sent_on_with_its_manifest',
  async (manifest) => {
    const { message, extra } = fileItemMessage({ name: 'a.bin', size: 3, type: '', manifest })
    has(message, extra)
    offered = new File(['abc'], 'a.bin')
    await sends()
    const file = expect.objectContaining({ name: 'a.bin', size: 3 })
    expect(shareCopy).toHaveBeenCalledWith({ file, manifest }, PHONE)
  },
)

it('a file that is not here yet has to be received first', async () => {
  const { message, extra } = fileItemMessage({ name: 'a.bin', size: 3, type: '' })
  has(message, extra)
  expect(await sends()).toEqual(['This file is not on this device. Receive it first.'])
  expect(shareCopy).not.toHaveBeenCalled()
})

it('s33_a_file_of_which_the_server_has_a_sealed_copy_is_read_from_there', async () => {
  const seal = newFileSeal()
  const sealed = new SealedFile(new File(['abc'], 'a.bin'), seal)
  const copy = await (await sealed.slice(0, sealed.size)).arrayBuffer()
  vi.stubGlobal('fetch', async (_: string, { headers }: { headers: { range: string } }) => {
    const [start, end] = headers.range.replace('bytes=', '').split('-').map(Number)
    return new Response(copy.slice(start, (end ?? 0) + 1), { status: 206 })
  })
  const url = `/api/uploads/${'0123456789abcdef'.repeat(2)}`
  const { message, extra } = storedItemMessage({ name: 'a.bin', size: 3, type: '', modified: 0, url, seal })
  has(message, extra)
  expect(await sends()).toEqual([])
  const [{ file }, to] = shareCopy.mock.calls[0] as [{ file: File }, DeviceId]
  expect([file.name, file.size, await textOf(file), to]).toEqual(['a.bin', 3, 'abc', PHONE])
})

/** The blobs of jsdom cannot be read by themselves. */
function textOf(blob: Blob): Promise<unknown> {
  return new Promise((resolve) => {
    const reader = new FileReader()
    reader.onload = () => resolve(reader.result)
    reader.readAsText(blob)
  })
}
