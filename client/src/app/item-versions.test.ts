import { beforeEach, describe, expect, it } from 'vitest'
import { envelopeName, Sealer } from '../crypto/envelope'
import type { DeviceId, ItemId } from '../protocol/bindings'
import type { SealedContent } from '../protocol/sealed-item'
import { ItemVersions } from './item-versions'

const ITEM = '01234567-89ab-4cde-8f01-23456789abcd' as ItemId
const OTHER = '02234567-89ab-4cde-8f01-23456789abcd' as ItemId

const ADA = '11234567-89ab-8cde-8f01-23456789abcd' as DeviceId
const BOB = '21234567-89ab-8cde-8f01-23456789abcd' as DeviceId

const of = (message: unknown, id = ITEM, from = ADA): SealedContent => ({ id, from, extra: 'text', message })

let sealer: Sealer
let versions: ItemVersions

beforeEach(async () => {
  sealer = await Sealer.of(new Uint8Array(32))
  versions = new ItemVersions()
})

const envelope = () => sealer.seal('share_clipboard', new Uint8Array(8))

describe('an item', () => {
  it('is sealed once, and afresh when it has another content', async () => {
    const sealed = await envelope()
    versions.went(sealed, of('bread'))
    expect(versions.sealedBefore(of('bread'))).toBe(sealed)
    expect(versions.sealedBefore(of('lemons'))).toBeNull()
    expect(versions.sealedBefore(of('bread', OTHER))).toBeNull()
  })

  it('that came is shared again as it came, also by another device: it is still of the one that shared it', async () => {
    const sealed = await envelope()
    versions.came(sealed, of('bread'))
    expect(versions.sealedBefore(of('bread', ITEM, BOB))).toBe(sealed)
  })

  it('that did not come yet is sealed afresh when this device has another id', async () => {
    versions.went(await envelope(), of('bread'))
    expect(versions.sealedBefore(of('bread', ITEM, BOB))).toBeNull()
  })

  it('is known by its content', async () => {
    versions.came(await envelope(), of({ file: { name: 'a' } }))
    expect(versions.hasContent({ file: { name: 'a' } })).toBe(true)
    expect(versions.hasContent({ file: { name: 'b' } })).toBe(false)
  })
})

describe('a version that came', () => {
  it('counts no more once another has come, however often the server sends it', async () => {
    const [first, second] = [await envelope(), await envelope()]
    expect(versions.came(first, of('bread'))).toEqual(of('bread'))
    expect(versions.came(second, of('lemons'))).toEqual(of('lemons'))
    expect(versions.came(first, of('bread'))).toEqual(of('lemons'))
    expect(versions.came(second, of('lemons'))).toEqual(of('lemons'))
    expect(versions.find(ITEM)?.sealed).toBe(second)
  })

  it('does not count after one that its page has sealed later, though it never came before', async () => {
    const [first, second] = [await envelope(), await envelope()]
    versions.came(`${second}#copy`, of('lemons'))
    expect(versions.came(first, of('bread'))).toEqual(of('lemons'))
    // Which of two pages was later, nobody can tell.
    const other = await Sealer.of(new Uint8Array(32))
    const elsewhere = await other.seal('share_clipboard', new Uint8Array(8))
    expect(versions.came(elsewhere, of('figs'))).toEqual(of('figs'))
  })

  it('is the same one when the server has taken the name of its stored copy away', async () => {
    const [first, second] = [await envelope(), await envelope()]
    versions.came(`${first}#copy`, of('bread'))
    versions.came(first, of('bread'))
    expect(versions.find(ITEM)?.sealed).toBe(first)
    versions.came(second, of('lemons'))
    expect(versions.came(`${first}#copy`, of('bread'))).toEqual(of('lemons'))
  })

  it('counts although this page has sealed another one that has not come yet', async () => {
    const [first, second] = [await envelope(), await envelope()]
    versions.came(first, of('bread'))
    versions.went(second, of('lemons'))
    expect(versions.came(first, of('bread'))).toEqual(of('bread'))
    expect(versions.came(second, of('lemons'))).toEqual(of('lemons'))
    expect(versions.came(first, of('bread'))).toEqual(of('lemons'))
  })
})

describe('a version of which another device says that it was given it', () => {
  const elsewhere = async () =>
    (await Sealer.of(new Uint8Array(32))).seal('share_clipboard', new Uint8Array(8))

  it('e14 is past where it was replaced since that was asked, and not where it was before', async () => {
    const [first, second] = [await envelope(), await elsewhere()]
    versions.came(first, of('bread'))
    const since = versions.replaced
    versions.came(second, of('lemons'))
    expect(versions.isPast(ITEM, envelopeName(first), since)).toBe(true)
    expect(versions.isPast(ITEM, envelopeName(first), versions.replaced)).toBe(false)
    expect(versions.isPast(ITEM, envelopeName(second), since)).toBe(false)
  })

  it('e14 is past where its page has sealed the one that is here later', async () => {
    const [first, second] = [await envelope(), await envelope()]
    versions.came(first, of('bread'))
    expect(versions.isPast(ITEM, envelopeName(second), 0)).toBe(false)
    versions.came(second, of('lemons'))
    expect(versions.isPast(ITEM, envelopeName(first), versions.replaced)).toBe(true)
    expect(versions.isPast(ITEM, 'no name', 0)).toBe(false)
  })
})

describe('a deletion', () => {
  it('counts once for each proof', () => {
    expect(versions.proves(ITEM, 'proof')).toBe(true)
    expect(versions.proves(ITEM, 'proof')).toBe(false)
    expect(versions.proves(ITEM, 'another')).toBe(true)
  })

  it('is known until the item is shared again', async () => {
    versions.proves(ITEM, 'proof')
    versions.deleted(OTHER)
    expect([ITEM, OTHER].map((id) => versions.isDeleted(id))).toEqual([true, true])
    versions.came(await envelope(), of('bread'))
    versions.went(await envelope(), of('bread', OTHER))
    expect([ITEM, OTHER].map((id) => versions.isDeleted(id))).toEqual([false, false])
    versions.proves(ITEM, 'proof')
    expect(versions.isDeleted(ITEM)).toBe(false)
  })
})
