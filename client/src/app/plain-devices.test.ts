import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Device, DeviceId, ItemId, LiveItem } from '../protocol/bindings'
import { copyId } from '../protocol/clear-copy'
import type { Item } from '../protocol/item'
import { reduceDevices } from '../stores/devices'
import { createItemsStore } from '../stores/items'
import { browserStorage } from '../stores/site-storage'
import type { Stores } from '../stores/stores'
import type { Secrets } from '../transport/secrets'
import { AddressedItems } from './addressed-items'
import {
  ADA,
  ada,
  BOB,
  begins,
  bobJoins,
  CLEAR,
  CLEO,
  EVE,
  ITEM,
  OTHER,
  Page,
  sealing,
  server,
  shared,
} from './sealed-beam-stage'

beforeEach(async () => {
  browserStorage.removeItems('')
  await begins()
})

describe('e12 a plain device', () => {
  const PLAIN = '41234567-89ab-8cde-8f01-23456789abcd' as DeviceId
  const COPY = copyId(ITEM, ADA, PLAIN)

  function isHere(page: Page, device: Device = { device_id: PLAIN, name: 'Old', caps: ['files'] }) {
    const devices = [sealing(ADA), device]
    page.stores.devices.setState((state) => reduceDevices(state, { type: 'listed', devices }), true)
    page.channel.listed(devices)
  }

  /** A page shares, and says what its person has chosen by then. */
  const shares = (page: Page, id: ItemId, message: unknown, extra: string, to?: DeviceId) =>
    page.channel.share(id, message, extra, to, [...page.stores.clearCopies.getState().to])

  const choose = (...to: readonly DeviceId[]) => ada.stores.clearCopies.setState({ to: new Set(to) }, true)
  const toldIn = (type: 'share' | 'delete', id: ItemId) => server.of(type).filter((told) => told.id === id)

  beforeEach(() => isHere(ada))

  it('gets nothing in clear text that a person has not chosen to send to it', async () => {
    shares(ada, ITEM, 'oat milk', 'text')
    shares(ada, OTHER, 'for you', 'text', PLAIN)
    await shared(2)
    expect(JSON.stringify(server.told)).not.toMatch(/oat milk|for you/)
  })

  it('gets a copy of each item that is shared from then on, and no other device does', async () => {
    shares(ada, OTHER, 'before', 'text')
    await shared(1)
    choose(PLAIN)
    shares(ada, ITEM, 'oat milk', 'text')
    await shared(3)
    const [sealed, copy] = server.of('share').slice(1)
    expect(sealed).toMatchObject({ id: ITEM, to: undefined, message: expect.stringMatching(/^e2e1/) })
    expect(copy).toMatchObject({ id: COPY, to: PLAIN, message: 'oat milk', extra: 'text' })
    expect(JSON.stringify(server.told)).not.toContain('before')
  })

  it('gets nothing that was shared before the choice and waited to be sealed', async () => {
    const bob = new Page(server, BOB, ada.invite)
    shares(bob, ITEM, 'bread', 'text')
    isHere(bob)
    bob.stores.clearCopies.setState({ to: new Set([PLAIN]) }, true)
    server.lists(ADA, BOB)
    await bob.is('sealed')
    await shared()
    expect(server.of('share')).toHaveLength(1)
    expect(JSON.stringify(server.told)).not.toContain('bread')
  })

  it('gets nothing that was shared before the choice, where the device that shared it gets another id', async () => {
    shares(ada, ITEM, 'oat milk', 'text')
    await shared(1)
    ada.unconfirmed.push(ITEM)
    choose(PLAIN)
    ada.channel.welcomed(CLEO)
    await shared(2)
    shares(ada, OTHER, 'bread', 'text')
    await shared(4)
    expect(
      server
        .of('share')
        .map(({ id }) => id)
        .slice(0, 3),
    ).toEqual([ITEM, ITEM, OTHER])
    expect(JSON.stringify(server.told)).not.toContain('oat milk')
  })

  it('gets nothing more once the choice was taken back, even while an item is being sealed', async () => {
    choose(PLAIN)
    shares(ada, ITEM, 'oat milk', 'text')
    choose()
    shares(ada, OTHER, 'bread', 'text')
    await shared(2)
    expect(JSON.stringify(server.told)).not.toMatch(/oat milk|bread/)
  })

  it('gets an edit in place of the copy, and loses it with the item', async () => {
    choose(PLAIN)
    shares(ada, ITEM, 'oat milk', 'text')
    shares(ada, ITEM, 'soy milk', 'text')
    await shared(4)
    expect(toldIn('share', COPY).map(({ message }) => message)).toEqual(['oat milk', 'soy milk'])
    ada.channel.delete(ITEM, 'soy milk')
    await vi.waitFor(() => expect(toldIn('delete', COPY)).toHaveLength(1))
  })

  it('loses the copy also when another device deletes the item, and the page was reloaded', async () => {
    const bob = await bobJoins()
    choose(PLAIN)
    shares(ada, ITEM, 'oat milk', 'text')
    await shared(2)
    const after = new Page(server, ADA, ada.invite, ada.secrets as Secrets)
    await after.is('sealed')
    const [sealed, copy] = [server.item(0), server.item(1)]
    const opened = after.opens(sealed)
    expect(after.channel.open(copy, null)).toBeNull()
    await opened
    await bob.opens(sealed)
    bob.channel.delete(ITEM, 'oat milk')
    await vi.waitFor(() => expect(server.of('delete')).toHaveLength(1))
    const { message, extra } = server.of('delete')[0] ?? {}
    expect(await after.channel.isDeleted(message, extra, ITEM)).toBe(true)
    expect(toldIn('delete', COPY)).toHaveLength(1)
  })

  describe('loses the copy of what was deleted while the device that made it was away', () => {
    const seq = 7
    const given = () => ({ sealed: { ...server.item(0), seq }, copy: { ...server.item(1), seq: seq + 1 } })
    /** The page is given what is there, as by a server that holds everything since the first number. */
    const syncs = (page: Page, items: readonly LiveItem[], dropped = 0) => {
      page.memory.synced(1, items)
      page.channel.synced(items, dropped)
    }

    beforeEach(async () => {
      choose(PLAIN)
      shares(ada, ITEM, 'oat milk', 'text')
      await shared(2)
      const { sealed, copy } = given()
      syncs(ada, [sealed, copy])
    })

    it('by the next sync', () => {
      expect(toldIn('delete', COPY)).toEqual([])
      syncs(ada, [given().copy])
      expect(toldIn('delete', COPY)).toMatchObject([{ message: 'oat milk' }])
      expect(ada.transfers.tell).toHaveBeenCalledWith({ do: 'forget', id: COPY })
    })

    it('by the first sync of a page that was reloaded, which does not show it', async () => {
      const after = new Page(server, ADA, ada.invite, ada.secrets as Secrets)
      await after.is('sealed')
      syncs(after, [given().copy])
      expect(after.channel.open(given().copy, null)).toBeNull()
      expect(toldIn('delete', COPY)).toMatchObject([{ message: 'oat milk' }])
    })

    it('and keeps it where the server has only lost the item, or not been told of it yet', async () => {
      ada.memory.synced(100, [])
      ada.channel.synced([given().copy], 0)
      const after = new Page(server, ADA, ada.invite, ada.secrets as Secrets)
      await after.is('sealed')
      syncs(after, [given().copy], 1)
      after.unconfirmed.push(ITEM)
      syncs(after, [given().copy])
      expect(toldIn('delete', COPY)).toEqual([])
    })

    it('and keeps what is for it alone', async () => {
      shares(ada, OTHER, 'for you', 'text', PLAIN)
      await shared(3)
      const after = new Page(server, ADA, ada.invite, ada.secrets as Secrets)
      await after.is('sealed')
      const { sealed, copy } = given()
      syncs(after, [sealed, copy, server.item(2)])
      expect(server.of('delete')).toEqual([])
      expect(after.channel.open(server.item(2), null)).toMatchObject({ message: 'for you' })
    })
  })

  it('is offered a file without its seal', async () => {
    choose(PLAIN)
    const file = new Blob(['bytes'])
    ada.transfers.fileOf.mockReturnValue(file)
    const facts = { name: 'plan.png', size: 5, type: 'image/png' }
    const seal = { key: 'A'.repeat(43), salt: 'B'.repeat(32) }
    shares(ada, ITEM, { file: { ...facts, seal, url: '/api/uploads/x' } }, 'image')
    await shared(2)
    expect(ada.transfers.tell.mock.calls).toEqual([[{ do: 'offer', id: COPY, file }]])
    expect(toldIn('share', COPY)[0]?.message).toEqual({ file: facts })
  })

  it('is offered a file again once a reload has taken it and it is here again', async () => {
    choose(PLAIN)
    shares(ada, ITEM, { file: { name: 'plan.png', size: 5, type: 'image/png' } }, 'image')
    await shared(2)
    const after = new Page(server, ADA, ada.invite, ada.secrets as Secrets)
    await after.is('sealed')
    const opened = after.opens(server.item(0))
    expect(after.channel.open(server.item(1), null)).toBeNull()
    await opened
    const file = new Blob(['bytes'])
    after.transfers.fileOf.mockImplementation((id: ItemId) => (id === ITEM ? file : null))
    // To devices that a person has chosen, as after a reload, and to no others.
    after.channel.offersAgain(ITEM)
    expect(after.transfers.tell).not.toHaveBeenCalled()
    after.stores.clearCopies.setState({ to: new Set([PLAIN, EVE]) }, true)
    after.channel.offersAgain(ITEM)
    expect(after.transfers.tell.mock.calls).toEqual([[{ do: 'offer', id: COPY, file }]])
  })

  it('has its copy known after a reload also where the item was edited since, and so comes later', async () => {
    const bob = await bobJoins()
    choose(PLAIN)
    shares(ada, ITEM, 'oat milk', 'text')
    await shared(2)
    await bob.opens(server.item(0))
    shares(bob, ITEM, 'soy milk', 'text')
    await shared(3)
    const after = new Page(server, ADA, ada.invite, ada.secrets as Secrets)
    after.channel.synced([server.item(1), server.item(2)])
    await after.is('sealed')
    expect(after.channel.open(server.item(1), null)).toBeNull()
  })

  it('shows the pictures of a note, which it gets as copies too', async () => {
    choose(PLAIN)
    const note = (picture: ItemId) => ({
      title: 'Holiday',
      content: { root: { children: [{ type: 'image', src: `item:${picture}` }] } },
    })
    shares(ada, ITEM, note(OTHER), 'lexi_note')
    await shared(2)
    expect(toldIn('share', COPY)[0]?.message).toEqual(note(copyId(OTHER, ADA, PLAIN)))
    ada.channel.delete(ITEM, note(OTHER))
    await vi.waitFor(() => expect(toldIn('delete', COPY)).toHaveLength(1))
    expect(toldIn('delete', COPY)[0]?.message).toEqual(note(copyId(OTHER, ADA, PLAIN)))
  })

  it('is sent a text for it alone in clear text', async () => {
    choose(PLAIN)
    shares(ada, ITEM, 'for you', 'text', PLAIN)
    await shared()
    expect(server.of('share')).toMatchObject([{ id: ITEM, to: PLAIN, message: 'for you' }])
    expect(await ada.opens(server.item())).toMatchObject({ isClear: true, message: 'for you' })
  })

  it('is sent a text for it alone sealed while it is not chosen, and in clear text again once it is', async () => {
    choose(PLAIN)
    shares(ada, ITEM, 'first', 'text', PLAIN)
    await shared(1)
    choose()
    shares(ada, ITEM, 'second', 'text', PLAIN)
    await shared(2)
    await ada.opens(server.item())
    choose(PLAIN)
    shares(ada, ITEM, 'third', 'text', PLAIN)
    await shared(3)
    expect(JSON.stringify(server.told)).not.toContain('second')
    expect(await ada.opens(server.item())).toMatchObject({ isClear: true, message: 'third' })
  })

  describe('gets again what was for it alone and the server has lost (S33)', () => {
    let addressed: AddressedItems
    const shows = (item: Item) => page.items.setState({ epoch: 'old', items: [item] })
    let page: Pick<Stores, 'items' | 'devices'>

    beforeEach(async () => {
      page = { items: createItemsStore(), devices: ada.stores.devices }
      addressed = new AddressedItems(page, ada.channel)
      choose(PLAIN)
      shares(ada, ITEM, 'first', 'text', PLAIN)
      await shared(1)
      shows({ ...(await ada.opens(server.item())), seq: 1 })
    })

    it('in clear text, as it went', async () => {
      addressed.synced('new', [])
      await shared(2)
      expect(toldIn('share', ITEM).map(({ to, message }) => [to, message])).toEqual([
        [PLAIN, 'first'],
        [PLAIN, 'first'],
      ])
    })

    it('and not in clear text where the choice was taken back', async () => {
      choose()
      addressed.synced('new', [])
      await shared(2)
      expect(server.item().message).toMatch(/^e2e1/)
    })

    it.each(['confirmed', 'only changed here'])(
      'and not in clear text what was sealed because it was not chosen then, and is %s',
      async (how) => {
        choose()
        shares(ada, ITEM, 'second', 'text', PLAIN)
        await shared(2)
        const edited = { ...(await ada.opens(server.item())), seq: 1 }
        expect(edited).toMatchObject({ isClear: true, message: 'second' })
        shows(how === 'confirmed' ? edited : { ...edited, isChanged: true })
        choose(PLAIN)
        addressed.synced('new', [])
        await shared(3)
        expect(JSON.stringify(server.told)).not.toContain('second')
      },
    )
  })

  describe('that was chosen before a reload', () => {
    const reload = async () => {
      const after = new Page(server, ADA, ada.invite, ada.secrets as Secrets)
      after.stores.clearCopies.setState({ to: new Set([PLAIN]) }, true)
      await after.is('sealed')
      return after
    }

    it('gets what goes out before it is known again that it is here', async () => {
      const after = await reload()
      shares(after, OTHER, 'for you', 'text', PLAIN)
      shares(after, ITEM, 'oat milk', 'text')
      isHere(after)
      await shared(3)
      expect(toldIn('share', ITEM)).toMatchObject([{ message: expect.stringMatching(/^e2e1/) }])
      expect(toldIn('share', COPY)).toMatchObject([{ to: PLAIN, message: 'oat milk' }])
      expect(toldIn('share', OTHER)).toMatchObject([{ to: PLAIN, message: 'for you' }])
    })

    it('gets nothing of that where it seals now, or is away', async () => {
      const after = await reload()
      shares(after, ITEM, 'oat milk', 'text', PLAIN)
      isHere(after, sealing(PLAIN))
      await shared(1)
      const later = await reload()
      shares(later, OTHER, 'bread', 'text')
      isHere(later, sealing(BOB))
      await shared(2)
      expect(JSON.stringify(server.told)).not.toMatch(/oat milk|bread/)
    })

    it('gets nothing that was shared before it was chosen', async () => {
      const after = await reload()
      after.channel.share(ITEM, 'oat milk', 'text', undefined, [])
      isHere(after)
      await shared(1)
      after.channel.share(OTHER, 'for you', 'text', PLAIN, [])
      await shared(2)
      expect(JSON.stringify(server.told)).not.toMatch(/oat milk|for you/)
    })
  })

  it('is another one under another id, and none once it seals', async () => {
    choose(PLAIN)
    isHere(ada, { device_id: EVE, name: 'Old', caps: [] })
    shares(ada, ITEM, 'oat milk', 'text')
    isHere(ada, sealing(PLAIN))
    shares(ada, OTHER, 'bread', 'text')
    await shared(2)
    expect(JSON.stringify(server.told)).not.toMatch(/oat milk|bread/)
  })

  it('shares items that are marked, because the server could have written them', async () => {
    expect(await ada.opens({ ...CLEAR, from: PLAIN })).toMatchObject({ isClear: true, message: 'clear' })
    shares(ada, ITEM, 'oat milk', 'text')
    await shared()
    expect(await ada.opens(server.item())).not.toHaveProperty('isClear')
  })

  it('shares items that keep their mark when a device seals them, as after an Undo', async () => {
    const bob = await bobJoins()
    const clear = { ...CLEAR, from: PLAIN }
    for (const page of [ada, bob]) await page.opens(clear)
    ada.channel.delete(clear.id, clear.message)
    shares(ada, clear.id, clear.message, clear.extra)
    await shared()
    expect(server.item().message).toMatch(/^e2e1\./)
    expect(await bob.opens(server.item())).toMatchObject({ isClear: true, from: ADA, message: 'clear' })
    // Also when that device edits it, whose page never saw it in clear text.
    shares(bob, clear.id, 'clear, with a tick', 'text')
    await shared(2)
    expect(await ada.opens(server.item())).toMatchObject({ isClear: true, message: 'clear, with a tick' })
  })

  it('shares items of which copies are marked too', async () => {
    ada.channel.cameClear(ITEM)
    shares(ada, ITEM, 'of a plain device', 'text', EVE)
    await shared()
    expect(await ada.opens(server.item())).toMatchObject({ isClear: true })
  })

  it('is not signalled to, because both ends would need a key', () => {
    const plain: Device = { device_id: PLAIN, name: 'Old', caps: ['rtc'] }
    expect([sealing(BOB), plain].map((device) => ada.channel.mayConnect(device))).toEqual([true, false])
  })
})
