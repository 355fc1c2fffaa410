// @vitest-environment jsdom
/** The longest text that a person can share in a sealed beam: it reaches those that are here, and those that come late (S29). */
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { type LiveItem, MAX_MESSAGE_BYTES } from '../protocol/bindings'
import { liveItem } from '../protocol/item'
import { reduceDevices } from '../stores/devices'
import { createStores, type Stores } from '../stores/stores'
import type { LiveBeam } from '../transport/live-beam'
import type { Transfers } from '../transport/transfers'
import type { Context } from './context'
import { OlderItems } from './older-items'
import {
  ADA,
  ada,
  BOB,
  begins,
  bobJoins,
  EVE,
  ITEM,
  OTHER,
  type Page,
  sealing,
  server,
  shared,
} from './sealed-beam-stage'
import { createSharing, isTooLong } from './sharing'
import { createTextEditing } from './text-editing'
import { createToaster } from './toaster'
import { UploadNews } from './upload-news'

let stores: Stores
let context: Context
let bob: Page

beforeEach(async () => {
  URL.createObjectURL = () => 'blob:a'
  stores = createStores()
  stores.encryption.setState({ kind: 'sealed', isDeposited: false }, true)
  const live = () => ada.channel
  const transfers = { tell: () => {} } as Partial<Transfers> as Transfers
  context = { stores, transfers, toaster: createToaster(stores.toasts), live }
  await begins()
  bob = await bobJoins()
})

/** So many letters that one more is too long. */
function longest(): number {
  let [fits, is] = [0, MAX_MESSAGE_BYTES]
  while (is - fits > 1) {
    const length = Math.floor((fits + is) / 2)
    if (isTooLong(context, 'x'.repeat(length))) is = length
    else fits = length
  }
  return fits
}

const sharing = () => createSharing(context, new UploadNews(stores.transfers, context.toaster))
const contents = () => stores.items.getState().items.map(({ content }) => content)
const sizeOf = (message: unknown) => new TextEncoder().encode(JSON.stringify(message)).length

/** What a device takes of the older items of another one. */
function olderOf(page: Page, me: typeof ADA, take: (items: readonly LiveItem[]) => void): OlderItems {
  const own = createStores()
  own.access.setState({ kind: 'unsaved', creator: false }, true)
  const devices = [sealing(ADA), sealing(BOB)]
  for (const event of [{ type: 'welcomed', me } as const, { type: 'listed', devices } as const])
    own.devices.setState((state) => reduceDevices(state, event), true)
  const live = () => ({ memory: page.memory, deletions: [] }) as Partial<LiveBeam> as LiveBeam
  return new OlderItems(
    own,
    createToaster(own.toasts),
    live,
    (to, message) => page.channel.signal(to, message),
    take,
  )
}

/** Bob has come after the server has dropped an item, and asks Ada. Resolves to what he takes of hers. */
async function comesLate(item: LiveItem): Promise<LiveItem> {
  ada.memory.synced(1, [item])
  const taken: LiveItem[] = []
  const older = new Map([
    [ADA, olderOf(ada, ADA, () => {})],
    [BOB, olderOf(bob, BOB, (items) => taken.push(...items))],
  ])
  let carried = server.of('signal').length
  older.get(BOB)?.synced(2, 1, [])
  await vi.waitFor(
    () => {
      for (const told of server.of('signal').slice(carried)) {
        carried += 1
        expect(sizeOf({ ...told, type: 'signal' })).toBeLessThanOrEqual(MAX_MESSAGE_BYTES)
        const page = told.to === ADA ? ada : bob
        const receiver = told.to && older.get(told.to)
        page.channel.signalled(told.from, told.message, (signal) => receiver?.heard(told.from, signal))
      }
      expect(taken).toHaveLength(1)
    },
    { timeout: 5_000 },
  )
  for (const one of older.values()) one.end()
  return taken[0] as LiveItem
}

describe('e3 the longest text of a sealed beam', () => {
  it('reaches who is here and who comes late', async () => {
    const text = 'x'.repeat(longest())
    expect(text.length).toBeGreaterThan(160 * 1024)
    expect(sharing().shareText(text)).toBe(true)
    expect(contents()).toEqual([{ kind: 'text', text }])
    await shared()
    expect(sizeOf({ ...server.of('share')[0], type: 'share_clipboard' })).toBeLessThanOrEqual(
      MAX_MESSAGE_BYTES,
    )
    expect((await bob.opens(server.item())).message).toBe(text)
    const item = { ...server.item(), seq: 1 }
    expect((await bob.opens(await comesLate(item))).message).toBe(text)
  })

  it('and no letter more can be shared as a text: it is a file, or waits in its field to be shortened', () => {
    const text = 'x'.repeat(longest() + 1)
    sharing().shareText(text)
    expect(contents()).toMatchObject([{ kind: 'file', name: 'Text.txt', size: text.length }])
    const item = liveItem({ id: OTHER, seq: 1, from: ADA, at: 1, message: 'x', extra: 'text' }, null)
    stores.items.setState({ items: [item] })
    const editing = createTextEditing(context)
    editing.edit(OTHER)
    editing.typeText(text)
    editing.saveText()
    expect(stores.toasts.getState().toasts.at(-1)?.text).toBe(
      'This text is too long. Shorten it, then save again.',
    )
    expect(stores.items.getState().items).toEqual([item])
    editing.typeText(text.slice(1))
    editing.saveText()
    expect(contents()).toEqual([{ kind: 'text', text: text.slice(1) }])
  })
})

it('e12 the longest text of a plain device reaches who comes late to a sealed beam', async () => {
  const message = 'x'.repeat(MAX_MESSAGE_BYTES - 200)
  const item = { id: ITEM, seq: 1, from: EVE, at: 1, message, extra: 'text' }
  expect((await bob.opens(await comesLate(item))).message).toBe(message)
})
