import { beforeEach, describe, expect, it, vi } from 'vitest'
import { toBase64Url } from '../crypto/bytes'
import type { Deposit } from '../crypto/deposit'
import type { KeptShared } from '../crypto/shared-keys'
import type { BeamId, Device, DeviceId, ItemId, LiveItem } from '../protocol/bindings'
import { copyId } from '../protocol/clear-copy'
import { reduceDevices } from '../stores/devices'

import type { ItemsEvent } from '../stores/items'
import { Gate } from '../transport/gate'
import { type Deposits, Secrets } from '../transport/secrets'
import { OpeningStage } from './opening-stage'

import {
  ADA,
  BEAM,
  BOB,
  CLEAR,
  EVE,
  ITEM,
  newDeposits,
  newSecrets,
  OTHER,
  Page,
  Server,
  sealing,
} from './sealed-beam-stage'

const CLEO = '51234567-89ab-8cde-8f01-23456789abcd' as DeviceId

let server: Server
let ada: Page

beforeEach(async () => {
  server = new Server()
  const secrets = newSecrets()
  const { invite } = await secrets.make(BEAM)
  ada = new Page(server, ADA, invite, secrets)
  await ada.is('sealed')
})

/** Bob opens the link and is let in. */
async function bobJoins(): Promise<Page> {
  const bob = new Page(server, BOB, ada.invite)
  await bob.is('waiting')
  server.lists(ADA, BOB)
  await bob.is('sealed')
  return bob
}

/** Returns Bob's page, without the link, where the server has the keys that Ada's page has deposited. */
async function besideDeposit(): Promise<Page> {
  const deposited: Deposit[] = []
  const bank: Deposits = {
    read: async () => deposited.at(-1) ?? null,
    write: async (_, keys) => void deposited.push(keys),
  }
  const nowhere = { read: async () => null, write: async () => {}, remove: async () => {} }
  const owner = new Secrets(nowhere, bank)
  const { invite } = await owner.make(BEAM)
  await owner.deposit(BEAM)
  ada = new Page(server, ADA, invite, owner)
  await ada.is('sealed')
  return new Page(server, BOB, null, new Secrets(nowhere, bank))
}

async function shared(count = 1): Promise<void> {
  await vi.waitFor(() => expect(server.of('share')).toHaveLength(count))
}

describe('e3 an item', () => {
  it('says nothing of itself to the server, and opens on a device that came by the link', async () => {
    const bob = await bobJoins()
    ada.channel.share(ITEM, 'oat milk', 'text')
    await shared()
    expect(JSON.stringify(server.told)).not.toContain('oat milk')
    expect(server.item().message).toMatch(/^e2e1\./)
    const { content, message, extra } = await bob.opens(server.item())
    expect([content, message, extra]).toEqual([{ kind: 'text', text: 'oat milk' }, 'oat milk', 'text'])
  })

  it('hides what kind of item it is', async () => {
    ada.channel.share(ITEM, { file: { name: 'secret plan.png', size: 3, type: 'image/png' } }, 'image')
    await shared()
    expect(server.item().extra).toBe('text')
    const { content } = await ada.opens(server.item())
    expect(content).toMatchObject({ kind: 'file', category: 'image', name: 'secret plan.png' })
  })

  it('is sealed once: what is shared again is the same text, and an edit is another one', async () => {
    ada.channel.share(ITEM, 'oat milk', 'text')
    ada.channel.share(ITEM, 'oat milk', 'text')
    ada.channel.share(ITEM, 'oat milk, lemons', 'text')
    await shared(3)
    const [first, again, edit] = server.of('share').map(({ message }) => message)
    expect(again).toBe(first)
    expect(edit).not.toBe(first)
  })

  it('is shown as one that does not open where the server gave it another id or addressee', async () => {
    const bob = await bobJoins()
    ada.channel.share(ITEM, 'oat milk', 'text')
    await shared()
    await expect(bob.opens({ ...server.item(), id: OTHER })).rejects.toThrow()
    await expect(bob.opens({ ...server.item(), to: BOB })).rejects.toThrow()
  })

  it('stays as it was last when the server puts an older version back', async () => {
    const bob = await bobJoins()
    ada.channel.share(ITEM, 'oat milk', 'text')
    await shared(1)
    const old = server.item()
    await bob.opens(old)
    ada.channel.share(ITEM, 'soy milk', 'text')
    await shared(2)
    await bob.opens(server.item())
    const { content } = await bob.opens({ ...old, seq: 9 })
    expect(content).toEqual({ kind: 'text', text: 'soy milk' })
  })

  it('is shown as of the device that sealed it, whatever the server says', async () => {
    const bob = await bobJoins()
    ada.channel.share(ITEM, 'oat milk', 'text')
    await shared()
    expect((await bob.opens({ ...server.item(), from: EVE })).from).toBe(ADA)
  })

  it('is of the device that has edited it last', async () => {
    const bob = await bobJoins()
    ada.channel.share(ITEM, 'oat milk', 'text')
    await shared()
    await bob.opens(server.item())
    bob.channel.share(ITEM, 'soy milk', 'text')
    await shared(2)
    expect((await ada.opens(server.item())).from).toBe(BOB)
    expect((await bob.opens(server.item())).from).toBe(BOB)
  })

  it('that another device brings back unchanged is still of the one that shared it', async () => {
    const bob = await bobJoins()
    ada.channel.share(ITEM, 'oat milk', 'text')
    await shared()
    await bob.opens(server.item())
    bob.channel.share(ITEM, 'oat milk', 'text')
    await shared(2)
    expect((await ada.opens(server.item())).from).toBe(ADA)
  })

  it('that nobody has got yet is of this device also when it gets another id', async () => {
    ada.unconfirmed.push(ITEM)
    ada.channel.share(ITEM, 'oat milk', 'text')
    await shared()
    ada.channel.welcomed(EVE)
    await shared(2)
    expect((await ada.opens(server.item())).from).toBe(EVE)
  })

  it('is not replaced by one in clear text', async () => {
    const bob = await bobJoins()
    ada.channel.share(ITEM, 'oat milk', 'text')
    await shared()
    await bob.opens(server.item())
    await expect(bob.opens({ ...server.item(), message: 'of the server' })).rejects.toThrow()
  })

  it('is not shared in clear text by a page that was reloaded before it was let in', async () => {
    const kept = new Map<string, KeptShared>()
    const store = {
      read: async (beam: BeamId) => kept.get(beam) ?? null,
      write: async (beam: BeamId, keys: KeptShared) => void kept.set(beam, keys),
      remove: async () => {},
    }
    const alone = new Server()
    const before = new Page(alone, BOB, ada.invite, new Secrets(store, newDeposits()))
    await before.is('waiting')
    const after = new Page(alone, BOB, null, new Secrets(store, newDeposits()))
    after.channel.listed([sealing(BOB)])
    after.channel.synced([{ ...CLEAR, message: 'e2e1.AAAA' }])
    after.channel.share(ITEM, 'bread', 'text')
    await after.is('waiting')
    expect(alone.of('share')).toEqual([])
    expect(after.invite).toBe(ada.invite)
  })

  it('that only looks sealed shuts this page out, and no later one', async () => {
    const page = new Page(new Server(), BOB, null)
    void page.opens({ ...CLEAR, message: 'e2e1.AAAA' })
    page.channel.saved(false)
    page.channel.listed([])
    page.channel.synced([])
    await page.is('locked')
    expect(page.isKnownSealed).toBe(false)
    expect((await bobJoins()).isKnownSealed).toBe(true)
  })

  it('waits to be shared until this device has been let in', async () => {
    const bob = new Page(server, BOB, ada.invite)
    bob.channel.share(ITEM, 'bread', 'text')
    await bob.is('waiting')
    expect(server.of('share')).toEqual([])
    server.lists(ADA, BOB)
    await shared()
    expect((await ada.opens(server.item())).content).toEqual({ kind: 'text', text: 'bread' })
  })

  it('waits to be opened until this device has been let in', async () => {
    ada.channel.share(ITEM, 'bread', 'text')
    await shared()
    const bob = new Page(server, BOB, ada.invite)
    const opened = bob.opens(server.item())
    server.lists(ADA, BOB)
    expect((await opened).content).toEqual({ kind: 'text', text: 'bread' })
  })
})

describe('e4 a deletion', () => {
  const deletes = async () => {
    ada.channel.share(ITEM, 'bread', 'text')
    ada.channel.delete(ITEM, 'bread')
    await vi.waitFor(() => expect(server.of('delete')).toHaveLength(1))
    return server.of('delete')[0]
  }

  it('names the item by the text that the server has, and proves that a device of the beam made it', async () => {
    const bob = await bobJoins()
    const deletion = await deletes()
    expect(deletion?.message).toBe(server.item().message)
    expect(JSON.stringify(deletion)).not.toContain('bread')
    expect(await bob.channel.isDeleted(deletion?.message, deletion?.extra, ITEM)).toBe(true)
  })

  it('counts once: the server cannot use its proof again after an Undo', async () => {
    const bob = await bobJoins()
    const { message, extra } = (await deletes()) ?? {}
    expect(await bob.channel.isDeleted(message, extra, ITEM)).toBe(true)
    expect(await bob.channel.isDeleted(message, extra, ITEM)).toBe(false)
  })

  it('that the server made up is not believed', async () => {
    const bob = await bobJoins()
    server.forwardsSignals = true
    const deletion = await deletes()
    ada.channel.share(OTHER, 'lemons', 'text')
    await shared(2)
    const { message } = server.item()
    await bob.opens(server.item())
    expect(await bob.channel.isDeleted(message, undefined, OTHER)).toBe(false)
    expect(await bob.channel.isDeleted(message, deletion?.extra, OTHER)).toBe(false)
    expect(await bob.channel.isDeleted(message, server.item().message as string, OTHER)).toBe(false)
    expect(await bob.channel.isDeleted('anything', undefined, OTHER)).toBe(false)
  })

  it('whose proof the server has lost counts when another device knows of it', async () => {
    const bob = await bobJoins()
    server.forwardsSignals = true
    const { message } = (await deletes()) ?? {}
    await bob.opens(server.item())
    expect(await bob.channel.isDeleted(message, undefined, ITEM)).toBe(true)
    // Bob can tell of it too now.
    expect(await ada.channel.isDeleted(message, undefined, ITEM)).toBe(true)
  })

  it('gives back the same item on Undo', async () => {
    await deletes()
    ada.channel.share(ITEM, 'bread', 'text')
    await shared(2)
    expect(server.item(1).message).toBe(server.item(0).message)
  })
})

describe('e7 a file', () => {
  const FACTS = { name: 'plan.png', size: 5, type: 'image/png' }
  const SEALED = { ...FACTS, seal: { key: 'A'.repeat(43), salt: 'B'.repeat(32) } }
  const FILE = new Blob(['bytes'])

  it('that got its seal before it was known that the beam is clear loses it, and is offered without', async () => {
    const plain = new Server()
    const page = new Page(plain, BOB, null)
    page.transfers.fileOf.mockReturnValue(FILE)
    page.channel.share(ITEM, { file: { ...SEALED, url: '/api/uploads/x' } }, 'image')
    page.channel.listed([])
    page.channel.synced([])
    await vi.waitFor(() => expect(plain.of('share')).toHaveLength(1))
    // Its upload began before, too.
    page.channel.share(OTHER, { file: { ...SEALED, url: '/api/uploads/x' } }, 'image')
    expect(plain.of('share').map(({ message, extra }) => [message, extra])).toEqual([
      [{ file: FACTS }, 'image'],
      [{ file: FACTS }, 'image'],
    ])
    const offers = [ITEM, OTHER].map((id) => [{ do: 'offer', id, file: FILE }])
    expect(page.transfers.tell.mock.calls).toEqual(offers)
  })

  it('of another device keeps its seal: only that device can offer it without', async () => {
    const plain = new Server()
    const page = new Page(plain, BOB, null)
    page.channel.listed([])
    page.channel.synced([])
    await page.is('clear')
    page.channel.share(ITEM, { file: SEALED }, 'image')
    expect(plain.of('share')[0]?.message).toEqual({ file: SEALED })
    expect(page.transfers.tell).not.toHaveBeenCalled()
  })

  it('without a seal is marked in a sealed beam: its bytes travel as they are', async () => {
    ada.channel.share(ITEM, { file: FACTS }, 'image')
    ada.channel.share(OTHER, { file: SEALED }, 'image')
    await shared(2)
    expect(await ada.opens(server.item(0))).toMatchObject({ isClear: true })
    expect(await ada.opens(server.item(1))).not.toHaveProperty('isClear')
  })
})

describe('e5 a signal', () => {
  const signals = async () => {
    const before = server.of('signal').length
    ada.channel.signal(BOB, { sdp: 'a=fingerprint' })
    await vi.waitFor(() => expect(server.of('signal').length).toBeGreaterThan(before))
    return server.of('signal').at(-1)?.message
  }

  it('is sealed, and opens once on the device that it is for', async () => {
    const bob = await bobJoins()
    const sealed = await signals()
    expect(JSON.stringify(sealed)).not.toContain('fingerprint')
    const heard = vi.fn()
    bob.channel.signalled(ADA, sealed, heard)
    bob.channel.signalled(ADA, sealed, heard)
    ada.channel.signalled(ADA, sealed, heard)
    bob.channel.signalled(EVE, sealed, heard)
    bob.channel.signalled(ADA, { sdp: 'of the server' }, heard)
    bob.channel.signalled(ADA, await signals(), heard)
    await vi.waitFor(() => expect(heard).toHaveBeenCalledTimes(2))
    expect(heard).toHaveBeenCalledWith({ sdp: 'a=fingerprint' })
  })
})

describe('e6 the way in', () => {
  it('is closed to a device with another secret', async () => {
    const eve = new Page(server, EVE, toBase64Url(new Uint8Array(32)))
    server.lists(ADA, EVE)
    await vi.waitFor(() => expect(server.ways).toHaveLength(2))
    expect(server.ways[1]?.message).toEqual({ op: 'refused', why: 'proof' })
    expect(eve.states.at(-1)).toBe('waiting')
  })

  it('leads through the next device when the first has no key itself', async () => {
    const eve = new Page(server, EVE, ada.invite)
    const bob = new Page(server, BOB, ada.invite)
    server.lists(EVE, BOB)
    await vi.waitFor(() => expect(server.ways.length).toBeGreaterThanOrEqual(4))
    server.lists(EVE, BOB, ADA)
    await Promise.all([eve.is('sealed'), bob.is('sealed')])
  })

  it('does not open by a welcome for another device', async () => {
    const bob = new Page(server, BOB, ada.invite)
    await bob.is('waiting')
    server.pages.delete(ADA)
    server.lists(ADA, BOB)
    await vi.waitFor(() => expect(server.ways).toHaveLength(1))
    server.pages.set(ADA, ada)
    // The server says that the request is of another device.
    ada.channel.listed([sealing(EVE)])
    ada.channel.heard(EVE, server.ways[0]?.message)
    await vi.waitFor(() => expect(server.ways).toHaveLength(2))
    bob.channel.heard(ADA, server.ways[1]?.message)
    await vi.waitFor(() => expect(server.ways.length).toBeGreaterThanOrEqual(2))
    expect(bob.states.at(-1)).toBe('waiting')
  })

  it('is not needed in a beam in which nobody seals', async () => {
    const plain = new Server()
    const page = new Page(plain, BOB, null)
    page.channel.listed([{ device_id: ADA, name: '', caps: ['files'] }])
    page.channel.synced([])
    await page.is('clear')
    page.channel.share(ITEM, 'bread', 'text')
    expect(plain.of('share')[0]?.message).toBe('bread')
  })

  it('is asked for, and nothing goes out in clear text, when a sealed item comes later', async () => {
    ada.channel.share(ITEM, 'bread', 'text')
    await shared()
    const page = new Page(server, BOB, null)
    page.channel.listed([])
    page.channel.synced([])
    await page.is('clear')
    void page.opens(server.item())
    await page.is('locked')
    page.channel.share(OTHER, 'lemons', 'text')
    await vi.waitFor(() => expect(page.states.at(-1)).toBe('locked'))
    expect(server.of('share')).toHaveLength(1)
  })
})

describe('e9 a saved beam', () => {
  it('is opened by the keys that were deposited, and lets in whoever has a link made of them', async () => {
    const deposited = new Map<BeamId, Deposit>()
    const nowhere = { read: async () => null, write: async () => {}, remove: async () => {} }
    const bank = {
      read: async (beam: BeamId) => deposited.get(beam) ?? null,
      write: async (beam: BeamId, keys: Deposit) => void deposited.set(beam, keys),
    }
    const owner = new Secrets(nowhere, bank)
    const { invite } = await owner.make(BEAM)
    const laptop = new Page(server, ADA, invite, owner)
    laptop.channel.saved(true)
    laptop.channel.share(ITEM, 'bread', 'text')
    await vi.waitFor(() => expect(deposited.size).toBe(1))
    await shared()
    const phone = new Page(server, BOB, null, new Secrets(nowhere, bank))
    phone.channel.saved(false)
    expect((await phone.opens(server.item())).content).toEqual({ kind: 'text', text: 'bread' })
    expect(phone.states).not.toContain('locked')
    expect(phone.invite).not.toBe(invite)
    const guest = new Page(server, EVE, phone.invite)
    server.lists(ADA, BOB, EVE)
    await guest.is('sealed')
  })

  it('does not give its keys where the server alone says that somebody saved it', async () => {
    const write = vi.fn(async () => {})
    const nowhere = { read: async () => null, write: async () => {}, remove: async () => {} }
    const secrets = new Secrets(nowhere, { read: async () => null, write })
    const { invite } = await secrets.make(BEAM)
    const page = new Page(server, ADA, invite, secrets)
    page.channel.saved(false)
    await vi.waitFor(async () => expect((await secrets.enter(BEAM, null)).isDeposited).toBe(true))
    // It may say so with each new socket.
    page.channel.saved(false)
    const change = vi.spyOn(secrets, 'stored')
    page.channel.saved(false)
    await vi.waitFor(() => expect(change).toHaveResolved())
    await secrets.enter(BEAM, null)
    expect(write).not.toHaveBeenCalled()
  })

  it('does not seal with keys of the server where the server alone says that somebody saved it', async () => {
    let hers: Deposit | null = null
    const nowhere = { read: async () => null, write: async () => {}, remove: async () => {} }
    const bank = {
      read: async () => hers,
      write: async (_: BeamId, keys: Deposit) => {
        hers = keys
      },
    }
    const eve = new Secrets(nowhere, bank)
    await eve.make(BEAM)
    await eve.deposit(BEAM)
    const secrets = new Secrets(nowhere, { ...bank, write: async () => {} })
    const { invite } = await secrets.make(BEAM)
    const page = new Page(server, ADA, invite, secrets)
    for (let times = 0; times < 3; times += 1) page.channel.saved(false)
    await vi.waitFor(async () => expect((await secrets.enter(BEAM, null)).isDeposited).toBe(true))
    await secrets.withdraw(BEAM)
    page.channel.share(ITEM, 'oat milk', 'text')
    await shared()
    const { message } = server.item()
    expect(await eve.open(BEAM, 'share_clipboard', String(message))).toEqual({ is: 'unknown' })
  })

  it.each([
    ['nothing', false],
    ['a sealed item', true],
  ])(
    'with %s in it asks no device and shares nothing before the deposit was looked for',
    async (_, isFull) => {
      const phone = await besideDeposit()
      const login = new Gate()
      phone.channel.saved(false, login.wait())
      if (isFull) {
        ada.channel.share(ITEM, 'bread', 'text')
        await shared()
      }
      server.lists(ADA, BOB)
      phone.channel.share(OTHER, 'lemons', 'text')
      await phone.secrets.enter(BEAM, null)
      login.open()
      await phone.is('sealed')
      expect(phone.states).toEqual(['unknown', 'sealed'])
      expect(server.ways).toEqual([])
      expect(JSON.stringify(server.told)).not.toContain('lemons')
    },
  )

  it('that was saved while a device waited outside leaves nothing to compare once its deposit opens it', async () => {
    const phone = await besideDeposit()
    ada.asks = true
    server.lists(ADA, BOB)
    await vi.waitFor(() => expect(phone.trust[ADA]).toMatchObject({ state: 'unverified' }))
    phone.channel.saved(false)
    await phone.is('sealed')
    expect(phone.trust[ADA]).toBeNull()
  })

  it('whose keys nobody deposited waits for another device, as any other', async () => {
    const page = new Page(server, BOB, null)
    page.channel.saved(false)
    server.lists(ADA, BOB)
    await page.is('sealed')
    expect(page.states).toContain('locked')
  })
})

describe('e11 a beam in which nobody has a key any more', () => {
  it('gets a new one by the first device that has the link, once it is known that nothing is sealed there', async () => {
    server.pages.delete(ADA)
    const [bob, eve] = [new Page(server, BOB, ada.invite), new Page(server, EVE, ada.invite)]
    server.lists(BOB, EVE)
    await Promise.all([bob.is('sealed'), eve.is('sealed')])
    bob.channel.share(ITEM, 'bread', 'text')
    await shared()
    expect((await eve.opens(server.item())).content).toEqual({ kind: 'text', text: 'bread' })
  })

  it('gets a new one also where the first device came without the link, and shares nothing before it is let in', async () => {
    server.pages.delete(ADA)
    const [bob, eve] = [new Page(server, BOB, null), new Page(server, EVE, ada.invite)]
    bob.channel.share(ITEM, 'lemons', 'text')
    server.lists(BOB, EVE)
    await Promise.all([bob.is('sealed'), eve.is('sealed')])
    expect(bob.states).not.toContain('clear')
    await shared()
    expect((await eve.opens(server.item())).content).toEqual({ kind: 'text', text: 'lemons' })
    expect(JSON.stringify(server.told)).not.toContain('lemons')
  })

  it('gets it of the first of several devices that have the link', async () => {
    server.pages.delete(ADA)
    const cleo = new Page(server, CLEO, ada.invite)
    server.lists(BOB, EVE, CLEO)
    const says = (from: DeviceId, hasLink: boolean) =>
      cleo.channel.heard(from, { op: 'refused', why: 'keyless', hasLink })
    const isKeyless = async (times: number) => {
      cleo.channel.heard(EVE, { op: 'join', id: '', key: '', proof: '' })
      const refusal = { op: 'refused', why: 'keyless', hasLink: true }
      const refusals = () => server.ways.filter(({ message }) => (message as { op: string }).op === 'refused')
      await vi.waitFor(() => expect(refusals()).toHaveLength(times))
      expect(refusals().at(-1)).toMatchObject({ from: CLEO, to: EVE, message: refusal })
    }
    says(BOB, false)
    says(EVE, true)
    await isKeyless(1)
    await isKeyless(2)
    says(EVE, false)
    await cleo.is('sealed')
  })

  it('is in clear text where no device has the link', async () => {
    server.pages.delete(ADA)
    const [bob, eve] = [new Page(server, BOB, null), new Page(server, EVE, null)]
    server.lists(BOB, EVE)
    await Promise.all([bob.is('clear'), eve.is('clear')])
  })

  it('gets none while something is sealed there, which only another device can open', async () => {
    ada.channel.share(ITEM, 'bread', 'text')
    await shared()
    const bob = new Page(new Server(), BOB, ada.invite)
    bob.channel.listed([{ device_id: BOB, name: '', caps: ['e2e1'] }])
    bob.channel.synced([server.item()])
    await bob.is('waiting')
    await bob.channel.isDeleted('nothing', undefined, undefined)
    expect(bob.states.at(-1)).toBe('waiting')
  })

  it('is read by everybody when a device comes back that has the old key', async () => {
    server.pages.delete(ADA)
    const bob = new Page(server, BOB, ada.invite)
    server.lists(BOB)
    bob.channel.synced([])
    await bob.is('sealed')
    bob.channel.share(ITEM, 'bread', 'text')
    await shared()
    server.pages.set(ADA, ada)
    server.lists(BOB, ADA)
    expect((await ada.opensLater(server.item())).content).toEqual({ kind: 'text', text: 'bread' })
  })

  /** An item of somebody who has never been in the beam. */
  const foreign = async (): Promise<LiveItem> => {
    const eve = newSecrets()
    await eve.make(BEAM)
    return { ...CLEAR, message: await eve.seal(BEAM, 'share_clipboard', 'x'.repeat(500)) }
  }

  it('is not asked for everything again by each answer that brings no key', async () => {
    const bob = await bobJoins()
    for (const item of [await foreign(), await foreign()]) {
      const before = server.ways.length
      await expect(bob.opens(item)).rejects.toThrow()
      await vi.waitFor(() => expect(server.ways.length).toBeGreaterThan(before + 1))
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    const before = server.ways.length
    await expect(bob.opens(await foreign())).rejects.toThrow()
    await vi.waitFor(() => expect(server.ways.length).toBeGreaterThan(before + 1))
    expect(bob.resyncs).toBe(0)
  })

  it('keeps nothing waiting by items under keys that nobody has', async () => {
    const bob = await bobJoins()
    const unknown = await foreign()
    ada.channel.share(ITEM, 'bread', 'text')
    await shared()
    // Nobody is there to answer.
    server.pages.delete(ADA)
    const delivered: ItemsEvent[] = []
    const stage = new OpeningStage(bob.channel, (events) => void delivered.push(...events))
    const before = performance.now()
    for (const item of [unknown, server.item()]) stage.push({ type: 'received', item, note: null })
    await vi.waitFor(() => expect(delivered).toHaveLength(2))
    expect(performance.now() - before).toBeLessThan(900)
    expect(delivered).toMatchObject([
      { item: { content: { kind: 'unknown' } } },
      { item: { content: { kind: 'text', text: 'bread' } } },
    ])
  })
})

describe('e10 a kept beam', () => {
  it('opens by its link when nobody else is here, and shows nothing of how', async () => {
    ada.channel.share(ITEM, 'bread', 'text')
    ada.channel.kept(true, true)
    await shared(2)
    const [bread, keys] = [server.item(0), server.item(1)]
    const phone = new Page(server, BOB, ada.invite)
    const opened = phone.opens(bread)
    expect(await phone.channel.open(keys, null)).toBeNull()
    expect((await opened).content).toEqual({ kind: 'text', text: 'bread' })
    expect(JSON.stringify(server.told)).not.toContain('bread')
  })

  it('does not open without the secret of the link', async () => {
    ada.channel.kept(true, true)
    await shared()
    const eve = new Page(server, EVE, toBase64Url(new Uint8Array(32)))
    await eve.channel.open(server.item(), null)
    await eve.is('waiting')
  })

  it('has the keys once, as long as it is kept', async () => {
    ada.channel.kept(true, true)
    await shared()
    await ada.channel.open(server.item(), null)
    ada.channel.kept(true, true)
    ada.channel.kept(false, true)
    await vi.waitFor(() => expect(server.of('delete')).toHaveLength(1))
    expect(server.of('delete')[0]?.id).toBe(server.item().id)
    expect(server.of('share')).toHaveLength(1)
  })
})

describe('e8 the way in without the link', () => {
  const typed = async (me: DeviceId) => {
    const page = new Page(server, me, null)
    server.lists(...server.pages.keys())
    return page
  }

  it('is open to the first other device, and both show the same pictures until they are compared', async () => {
    const bob = await typed(BOB)
    await bob.is('sealed')
    expect(bob.states).toContain('locked')
    expect(bob.trust[ADA]).toMatchObject({ state: 'unverified' })
    expect(ada.trust[BOB]?.signs).toEqual(bob.trust[ADA]?.signs)
    expect(bob.in).toEqual([ADA])
    expect(bob.invite).toBe(ada.invite)
  })

  it('waits for a person once a device was let in, and says so to that device alone', async () => {
    await bobJoins()
    const eve = await typed(EVE)
    await vi.waitFor(() => expect(ada.trust[EVE]).toMatchObject({ state: 'asking' }))
    expect(server.ways.at(-1)?.message).toEqual({ op: 'wait' })
    expect(eve.states.at(-1)).toBe('locked')
    expect(eve.trust[ADA]?.signs).toEqual(ada.trust[EVE]?.signs)
    expect(ada.channel.ways.confirm(EVE)).toBe(true)
    await eve.is('sealed')
    expect(ada.trust[EVE]).toMatchObject({ state: 'verified' })
  })

  it('waits for a person at once where the person wants to be asked', async () => {
    ada.asks = true
    const bob = await typed(BOB)
    await vi.waitFor(() => expect(ada.trust[BOB]).toMatchObject({ state: 'asking' }))
    ada.channel.ways.refuse(BOB)
    await vi.waitFor(() => expect(bob.trust[ADA]).toBeNull())
    expect(ada.trust[BOB]).toBeNull()
    expect(bob.states.at(-1)).toBe('locked')
  })

  it('does not open to a device that nobody sees in the list', async () => {
    const eve = new Page(new Server(), EVE, null)
    await eve.secrets.enter(BEAM, null)
    server.lists(ADA)
    ada.channel.heard(EVE, { op: 'commit', commitment: await eve.secrets.commit(BEAM, ADA) })
    ada.channel.signal(BOB, 'what comes after it')
    await vi.waitFor(() => expect(server.of('signal')).toHaveLength(1))
    expect(server.ways).toEqual([])
  })

  it('counts what was shown and not let in: pictures cannot be tried until two are the same', async () => {
    await bobJoins()
    for (let times = 0; times < 4; times += 1) {
      const eve = new Page(server, EVE, null)
      server.lists(ADA, EVE)
      await vi.waitFor(() => expect(eve.trust[ADA] !== undefined || times === 3).toBe(true))
    }
    await vi.waitFor(() => expect(server.ways.at(-1)?.message).toEqual({ op: 'refused', why: 'locked' }))
  })

  it('is locked for a while after three failures', async () => {
    server.lists(ADA, EVE)
    for (const commitment of ['AAAA', 'BBBB', 'CCCC', 'DDDD', 'EEEE'])
      ada.channel.heard(EVE, { op: 'commit', commitment })
    await vi.waitFor(() => expect(server.ways).toHaveLength(5))
    const answers = server.ways.map(({ message }) => (message as { op: string }).op)
    expect(answers).toEqual(['accept', 'accept', 'accept', 'refused', 'refused'])
  })

  it('does not open where the server puts in a key of its own', async () => {
    const bob = new Page(server, BOB, null)
    server.pages.delete(ADA)
    bob.channel.listed([ADA, BOB].map(sealing))
    bob.channel.synced([])
    await vi.waitFor(() => expect(server.ways).toHaveLength(1))
    const eve = new Page(new Server(), EVE, null)
    const { invite } = await eve.secrets.make(BEAM)
    const accepted = await eve.secrets.accept(BEAM, BOB, commitmentIn(server.ways[0]?.message), true)
    bob.channel.heard(ADA, { op: 'accept', ...accepted?.share })
    await vi.waitFor(() => expect(server.ways).toHaveLength(2))
    // Bob is let into a beam of the server's, and shows pictures that no device of his has.
    expect(bob.trust[ADA]?.state).toBe('unverified')
    expect(ada.trust[BOB]).toBeUndefined()
    expect(invite).not.toBe(ada.invite)
  })
})

function commitmentIn(message: unknown): string {
  return (message as { commitment: string }).commitment
}

describe('e12 a plain device', () => {
  const PLAIN = '41234567-89ab-8cde-8f01-23456789abcd' as DeviceId
  const COPY = copyId(ITEM, ADA, PLAIN)

  function isHere(page: Page, device: Device = { device_id: PLAIN, name: 'Old', caps: ['files'] }) {
    const devices = [sealing(ADA), device]
    page.stores.devices.setState((state) => reduceDevices(state, { type: 'listed', devices }), true)
    page.channel.listed(devices)
  }

  const choose = (...to: readonly DeviceId[]) => ada.stores.clearCopies.setState({ to: new Set(to) }, true)
  const toldIn = (type: 'share' | 'delete', id: ItemId) => server.of(type).filter((told) => told.id === id)

  beforeEach(() => isHere(ada))

  it('gets nothing in clear text that a person has not chosen to send to it', async () => {
    ada.channel.share(ITEM, 'oat milk', 'text')
    ada.channel.share(OTHER, 'for you', 'text', PLAIN)
    await shared(2)
    expect(JSON.stringify(server.told)).not.toMatch(/oat milk|for you/)
  })

  it('gets a copy of each item that is shared from then on, and no other device does', async () => {
    ada.channel.share(OTHER, 'before', 'text')
    await shared(1)
    choose(PLAIN)
    ada.channel.share(ITEM, 'oat milk', 'text')
    await shared(3)
    const [sealed, copy] = server.of('share').slice(1)
    expect(sealed).toMatchObject({ id: ITEM, to: undefined, message: expect.stringMatching(/^e2e1/) })
    expect(copy).toMatchObject({ id: COPY, to: PLAIN, message: 'oat milk', extra: 'text' })
    expect(JSON.stringify(server.told)).not.toContain('before')
  })

  it('gets nothing that was shared before the choice and waited to be sealed', async () => {
    const bob = new Page(server, BOB, ada.invite)
    bob.channel.share(ITEM, 'bread', 'text')
    isHere(bob)
    bob.stores.clearCopies.setState({ to: new Set([PLAIN]) }, true)
    server.lists(ADA, BOB)
    await bob.is('sealed')
    await shared()
    expect(server.of('share')).toHaveLength(1)
    expect(JSON.stringify(server.told)).not.toContain('bread')
  })

  it('gets nothing more once the choice was taken back, even while an item is being sealed', async () => {
    choose(PLAIN)
    ada.channel.share(ITEM, 'oat milk', 'text')
    choose()
    ada.channel.share(OTHER, 'bread', 'text')
    await shared(2)
    expect(JSON.stringify(server.told)).not.toMatch(/oat milk|bread/)
  })

  it('gets an edit in place of the copy, and loses it with the item', async () => {
    choose(PLAIN)
    ada.channel.share(ITEM, 'oat milk', 'text')
    ada.channel.share(ITEM, 'soy milk', 'text')
    await shared(4)
    expect(toldIn('share', COPY).map(({ message }) => message)).toEqual(['oat milk', 'soy milk'])
    ada.channel.delete(ITEM, 'soy milk')
    await vi.waitFor(() => expect(toldIn('delete', COPY)).toHaveLength(1))
  })

  it('loses the copy also when another device deletes the item, and the page was reloaded', async () => {
    const bob = await bobJoins()
    choose(PLAIN)
    ada.channel.share(ITEM, 'oat milk', 'text')
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

  it('is offered a file without its seal', async () => {
    choose(PLAIN)
    const file = new Blob(['bytes'])
    ada.transfers.fileOf.mockReturnValue(file)
    const facts = { name: 'plan.png', size: 5, type: 'image/png' }
    const seal = { key: 'A'.repeat(43), salt: 'B'.repeat(32) }
    ada.channel.share(ITEM, { file: { ...facts, seal, url: '/api/uploads/x' } }, 'image')
    await shared(2)
    expect(ada.transfers.tell.mock.calls).toEqual([[{ do: 'offer', id: COPY, file }]])
    expect(toldIn('share', COPY)[0]?.message).toEqual({ file: facts })
  })

  it('is sent a text for it alone in clear text', async () => {
    choose(PLAIN)
    ada.channel.share(ITEM, 'for you', 'text', PLAIN)
    await shared()
    expect(server.of('share')).toMatchObject([{ id: ITEM, to: PLAIN, message: 'for you' }])
    expect(await ada.opens(server.item())).toMatchObject({ isClear: true, message: 'for you' })
  })

  it('is sent a text for it alone sealed while it is not chosen, and in clear text again once it is', async () => {
    choose(PLAIN)
    ada.channel.share(ITEM, 'first', 'text', PLAIN)
    await shared(1)
    choose()
    ada.channel.share(ITEM, 'second', 'text', PLAIN)
    await shared(2)
    await ada.opens(server.item())
    choose(PLAIN)
    ada.channel.share(ITEM, 'third', 'text', PLAIN)
    await shared(3)
    expect(JSON.stringify(server.told)).not.toContain('second')
    expect(await ada.opens(server.item())).toMatchObject({ isClear: true, message: 'third' })
  })

  it('is another one under another id, and none once it seals', async () => {
    choose(PLAIN)
    isHere(ada, { device_id: EVE, name: 'Old', caps: [] })
    ada.channel.share(ITEM, 'oat milk', 'text')
    isHere(ada, sealing(PLAIN))
    ada.channel.share(OTHER, 'bread', 'text')
    await shared(2)
    expect(JSON.stringify(server.told)).not.toMatch(/oat milk|bread/)
  })

  it('shares items that are marked, because the server could have written them', async () => {
    expect(await ada.opens({ ...CLEAR, from: PLAIN })).toMatchObject({ isClear: true, message: 'clear' })
    ada.channel.share(ITEM, 'oat milk', 'text')
    await shared()
    expect(await ada.opens(server.item())).not.toHaveProperty('isClear')
  })

  it('is not signalled to, because both ends would need a key', () => {
    const plain: Device = { device_id: PLAIN, name: 'Old', caps: ['rtc'] }
    expect([sealing(BOB), plain].map((device) => ada.channel.mayConnect(device))).toEqual([true, false])
  })
})
