import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { KeptShared } from '../crypto/shared-keys'
import type { BeamId } from '../protocol/bindings'
import { reduceTransfers } from '../stores/transfers'
import { Gate } from '../transport/gate'
import { Secrets } from '../transport/secrets'
import {
  ADA,
  ada,
  BOB,
  begins,
  bobJoins,
  CLEAR,
  EVE,
  ITEM,
  LOOKALIKE,
  newDeposits,
  OTHER,
  Page,
  Server,
  sealing,
  server,
  shared,
} from './sealed-beam-stage'

beforeEach(begins)

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

  it('stays as it came last when an earlier version of it took longer to open', async () => {
    const bob = await bobJoins()
    ada.channel.share(ITEM, 'oat milk', 'text')
    ada.channel.share(ITEM, 'soy milk', 'text')
    await shared(2)
    const { opensFirst, opening } = slowly(bob)
    const both = [0, 1].map((at) => bob.opens(server.item(at)))
    await vi.waitFor(() => expect(opening.mock.settledResults[1]?.type).toBe('fulfilled'))
    opensFirst()
    expect((await Promise.all(both)).map(({ message }) => message)).toEqual(['oat milk', 'soy milk'])
    expect((await bob.opens(server.item(1))).message).toBe('soy milk')
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

  it.each(['e2e1.AAAA', LOOKALIKE])(
    'is not replaced by what no device of the beam has sealed: %s',
    async (message) => {
      const bob = await bobJoins()
      ada.channel.share(ITEM, 'oat milk', 'text')
      await shared()
      const item = server.item()
      await expect(bob.opens({ ...item, message })).rejects.toThrow()
      await bob.opens(item)
      expect(await bob.opens({ ...item, seq: 2, message })).toMatchObject({ message: 'oat milk', from: ADA })
    },
  )

  it('that was replaced so is shared again as it was by the device that shared it', async () => {
    ada.channel.share(ITEM, 'oat milk', 'text')
    await shared()
    const item = server.item()
    await ada.opens(item)
    const clear = { ...item, seq: 2, message: 'of the server' }
    ada.memory.received(clear)
    expect((await ada.opens(clear)).message).toBe('oat milk')
    await shared(2)
    expect(server.item()).toEqual(item)
  })

  it('that may be under a key that comes yet is not shared again before that', async () => {
    ada.channel.share(ITEM, 'oat milk', 'text')
    await shared()
    const item = server.item()
    await ada.opens(item)
    const unknown = { ...item, seq: 2, message: LOOKALIKE }
    ada.memory.received(unknown)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    await ada.opens(unknown)
    vi.advanceTimersByTime(29_999)
    expect(server.of('share')).toHaveLength(1)
    vi.advanceTimersByTime(1)
    expect(server.of('share')).toHaveLength(2)
    vi.useRealTimers()
    expect(server.item()).toEqual(item)
  })

  it('of which an older version was put back is shared again as it was last', async () => {
    ada.channel.share(ITEM, 'oat milk', 'text')
    await shared(1)
    await ada.opens(server.item())
    ada.channel.share(ITEM, 'soy milk', 'text')
    await shared(2)
    const [old, last] = [server.item(0), server.item(1)]
    await ada.opens(last)
    ada.memory.received({ ...old, seq: 3 })
    await ada.opens({ ...old, seq: 3 })
    await shared(3)
    expect(server.item()).toEqual(last)
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
    after.channel.synced([{ ...CLEAR, message: LOOKALIKE }])
    after.channel.share(ITEM, 'bread', 'text')
    await after.is('waiting')
    expect(alone.of('share')).toEqual([])
    expect(after.invite).toBe(ada.invite)
  })

  it('that only looks sealed shuts this page out, and no later one', async () => {
    const page = new Page(new Server(), BOB, null)
    void page.opens({ ...CLEAR, message: LOOKALIKE })
    void page.channel.saved(false)
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

/** What the page opens next takes until it is told to. */
function slowly(page: Page) {
  const { secrets } = page
  const gate = new Gate()
  const open = secrets.open.bind(secrets)
  const opening = vi.spyOn(secrets, 'open').mockImplementationOnce(async (...asked) => {
    await gate.wait()
    return open(...asked)
  })
  return { opening, opensFirst: () => gate.open() }
}

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

  it('is known also when it came right behind the item, and was opened before that', async () => {
    const bob = await bobJoins()
    const { message, extra } = (await deletes()) ?? {}
    const { opensFirst, opening } = slowly(bob)
    const item = bob.opens(server.item())
    const deletion = bob.channel.isDeleted(message, extra, ITEM)
    await vi.waitFor(() => expect(opening.mock.settledResults[1]?.type).toBe('fulfilled'))
    opensFirst()
    await item
    expect(await deletion).toBe(true)
    const eve = new Page(server, EVE, ada.invite)
    server.lists(BOB, EVE)
    await eve.is('sealed')
    await eve.opens(server.item())
    server.forwardsSignals = true
    expect(await eve.channel.isDeleted(message, undefined, ITEM)).toBe(true)
  })

  it('that the server made up is not believed either while the item is being opened', async () => {
    const bob = await bobJoins()
    server.forwardsSignals = true
    ada.channel.share(ITEM, 'bread', 'text')
    await shared()
    const item = bob.opens(server.item())
    expect(await bob.channel.isDeleted('anything', undefined, ITEM)).toBe(false)
    await item
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

  it('that nobody proves has the device that shared the item share it again as it was, for all', async () => {
    const bob = await bobJoins()
    server.forwardsSignals = true
    ada.channel.share(ITEM, 'bread', 'text')
    await shared()
    const item = server.item()
    for (const page of [ada, bob]) {
      page.memory.received(item)
      await page.opens(item)
      page.memory.taken(ITEM, null)
    }
    const isDeleted = [ada, bob].map((page) => page.channel.isDeleted(null, undefined, ITEM))
    expect(await Promise.all(isDeleted)).toEqual([false, false])
    await shared(2)
    expect(server.item()).toEqual(item)
    expect(bob.memory.doubted.map(({ id }) => id)).toEqual([ITEM])
  })

  it('by what the server has has the item shared again too', async () => {
    ada.channel.share(ITEM, 'bread', 'text')
    await shared()
    const item = server.item()
    ada.memory.received(item)
    await ada.opens(item)
    ada.memory.taken(undefined, item.message)
    expect(await ada.channel.isDeleted(item.message, undefined, undefined)).toBe(false)
    await shared(2)
    expect(server.item()).toEqual(item)
  })

  it('that is proven takes the item from this device', async () => {
    const bob = await bobJoins()
    const { message, extra } = (await deletes()) ?? {}
    bob.memory.received(server.item())
    await bob.opens(server.item())
    bob.memory.taken(ITEM, message)
    expect(await bob.channel.isDeleted(message, extra, ITEM)).toBe(true)
    expect(bob.memory.doubted).toEqual([])
  })

  it('that cannot be checked takes nothing away, and is not undone for the others either', async () => {
    const bob = await bobJoins()
    ada.channel.share(ITEM, 'bread', 'text')
    await shared()
    for (const page of [ada, bob]) await page.opens(server.item())
    bob.channel.delete(ITEM, 'bread')
    await vi.waitFor(() => expect(server.of('delete')).toHaveLength(1))
    const { message, extra } = server.of('delete')[0] ?? {}
    const opening = vi.spyOn(ada.secrets, 'open').mockRejectedValue(new Error('The worker does not answer.'))
    const before = ada.resyncs
    expect(await ada.channel.isDeleted(message, extra, ITEM)).toBe(false)
    expect(ada.resyncs).toBe(before + 1)
    // What is shared again is so in the next turn.
    await new Promise((resolve) => setTimeout(resolve))
    expect(server.of('share')).toHaveLength(1)
    opening.mockRestore()
    expect(await ada.channel.isDeleted(message, extra, ITEM)).toBe(true)
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

  it('that a reload has taken loses it too: once it is here again, it is offered as its item says', async () => {
    const plain = new Server()
    const page = new Page(plain, BOB, null)
    const lost = { type: 'lost', id: ITEM, asks: false } as const
    page.stores.transfers.setState((state) => reduceTransfers(state, lost), true)
    page.channel.share(ITEM, { file: SEALED }, 'image')
    page.channel.listed([])
    page.channel.synced([])
    await vi.waitFor(() => expect(plain.of('share')).toHaveLength(1))
    expect(plain.of('share')[0]?.message).toEqual({ file: FACTS })
    expect(page.transfers.tell).not.toHaveBeenCalled()
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
