import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Sealer } from '../crypto/envelope'
import type { DeviceId, ItemId, LiveItem } from '../protocol/bindings'
import { ItemVersions } from './item-versions'
import { MissingItems } from './missing-items'

// A real one is computed on another thread, which the clock of the test knows nothing of.
vi.mock('../crypto/digest', () => ({ digestOf: async (text: string) => text }))

const ADA = '11234567-89ab-8cde-8f01-23456789abcd' as DeviceId
const BOB = '21234567-89ab-8cde-8f01-23456789abcd' as DeviceId
const ITEM = '01234567-89ab-4cde-8f01-23456789abcd' as ItemId

/** A device, and what the server has given to it. */
class Device {
  given: LiveItem[] = []
  count = -1
  readonly deletes = new Set<ItemId>()
  readonly #versions = new ItemVersions()
  readonly missing: MissingItems

  constructor(me: DeviceId, other: () => Device) {
    this.missing = new MissingItems({
      given: () => this.given,
      replaced: () => this.#versions.replaced,
      isPast: (id, version, since) => this.deletes.has(id) || this.#versions.isPast(id, version, since),
      tell: (_to, message) => queueMicrotask(() => other().missing.hear({ is: 'heard', from: me, message })),
      sync: () => queueMicrotask(() => this.missing.hear({ is: 'synced' })),
      onMissing: (count) => {
        this.count = count
      },
    })
    this.missing.listed([ADA, BOB], me)
  }

  /** The server gives it these items, and no others. */
  has(...given: LiveItem[]): void {
    this.given = given
    for (const { id, from, extra, message } of given)
      this.#versions.came(String(message), { id, from, extra, message })
    this.missing.hear({ is: 'changed' })
  }

  /** Within a minute, so many are missing. */
  async misses(count: number): Promise<void> {
    await vi.advanceTimersByTimeAsync(60_000)
    expect(this.count).toBe(count)
  }
}

let ada: Device
let bob: Device

beforeEach(() => {
  vi.useFakeTimers()
  ada = new Device(ADA, () => bob)
  bob = new Device(BOB, () => ada)
})

afterEach(() => {
  ada.missing.end()
  bob.missing.end()
  vi.useRealTimers()
})

const page = () => Sealer.of(new Uint8Array(32))

async function sealed(by?: Sealer): Promise<LiveItem> {
  const sealer = by ?? (await page())
  const message = await sealer.seal('share_clipboard', new Uint8Array(8))
  return { id: ITEM, seq: 1, from: ADA, at: 1, extra: 'text', message }
}

describe('e14 what another device was given', () => {
  it('is missing here until it comes', async () => {
    const item = await sealed()
    ada.has(item)
    await bob.misses(1)
    bob.has(item)
    expect([ada.count, bob.count]).toEqual([0, 0])
  })

  it('is missing here until it is deleted there', async () => {
    ada.has(await sealed())
    await bob.misses(1)
    ada.has()
    await bob.misses(0)
  })

  it('is missing where the server gives an older version, and not on the device that has seen both', async () => {
    const sealer = await page()
    const [old, newer] = [await sealed(sealer), await sealed(sealer)]
    bob.has(old)
    ada.has(old)
    ada.has(newer)
    await bob.misses(1)
    expect(ada.count).toBe(0)
  })

  it('is missing where the server gave the newer version first, and an older one of another page since', async () => {
    const [old, newer] = [await sealed(), await sealed()]
    for (const item of [newer, old]) bob.has(item)
    for (const item of [old, newer]) ada.has(item)
    await bob.misses(1)
  })

  it('is not missing here while this device deletes it', async () => {
    bob.deletes.add(ITEM)
    ada.has(await sealed())
    await ada.misses(0)
    await bob.misses(0)
  })

  it('in clear text is compared with nobody', async () => {
    ada.has({ ...(await sealed()), message: 'bread' })
    ada.missing.hear({ is: 'retried' })
    await ada.misses(0)
    await bob.misses(0)
  })

  it('is asked for again when the person tries again', async () => {
    const item = await sealed()
    ada.has(item)
    await bob.misses(1)
    bob.given = [item]
    bob.missing.hear({ is: 'retried' })
    await bob.misses(0)
  })
})
