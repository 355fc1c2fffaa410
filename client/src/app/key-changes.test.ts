import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Deposit } from '../crypto/deposit'
import type { KeptShared } from '../crypto/shared-keys'
import type { BeamId, DeviceId } from '../protocol/bindings'
import { Secrets } from '../transport/secrets'
import {
  ADA,
  BEAM,
  BOB,
  EVE,
  ITEM,
  mortalSecrets,
  newSecrets,
  OTHER,
  Page,
  Server,
} from './sealed-beam-stage'

const CLEO = '41234567-89ab-8cde-8f01-23456789abcd' as DeviceId
const NEXT = '1b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId

let server: Server
let ada: Page
let bob: Page
let eve: Page
let link: string | null

/** Ada has made the beam, and may remove. Bob and Eve came by its link. */
beforeEach(async () => {
  server = new Server()
  ada = await makes(newSecrets())
  ada.mayRemove = true
  ada.hasRemoved = true
  link = ada.invite
  bob = await joins(BOB, ADA)
  eve = await joins(EVE, ADA, BOB)
})

afterEach(() => {
  vi.useRealTimers()
  for (const page of server.pages.values()) page.channel.end()
})

async function makes(secrets: Secrets): Promise<Page> {
  const { invite } = await secrets.make(BEAM)
  const page = new Page(server, ADA, invite, secrets)
  await page.is('sealed')
  return page
}

/** A device opens the link that Ada shows, while these are here. */
async function joins(id: DeviceId, ...here: readonly DeviceId[]): Promise<Page> {
  const page = new Page(server, id, ada.invite)
  await page.is('waiting')
  server.lists(...here, id)
  await page.is('sealed')
  // All have told each other their keys.
  await settled()
  return page
}

/** Everything that was said has been heard. */
async function settled(): Promise<void> {
  let before = -1
  while (before !== server.told.length) {
    before = server.told.length
    for (let turns = 0; turns < 20; turns += 1) await crypto.subtle.digest('SHA-256', new Uint8Array(1))
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** The server has closed a device, and says so. */
function removed(device: DeviceId, ...here: readonly DeviceId[]): void {
  server.pages.delete(device)
  server.lists(...here)
  for (const one of here) server.pages.get(one)?.channel.removed([device])
}

async function isUpToDate(page: Page, like = ada): Promise<void> {
  await vi.waitFor(() => {
    expect(like.invite).not.toBe(link)
    expect(page.invite).toBe(like.invite)
  })
}

const opsOf = () =>
  server.told.map(({ type, message }) => (type === 'e2e' ? (message as { op: string }).op : type))

describe('e15 the removal of a device', () => {
  it('gives the others keys that it cannot get, and they read each other', async () => {
    removed(EVE, ADA, BOB)
    await isUpToDate(bob)
    ada.channel.share(ITEM, 'oat milk', 'text')
    bob.channel.share(OTHER, 'soy milk', 'text')
    await vi.waitFor(() => expect(server.of('share')).toHaveLength(2))
    for (const at of [0, 1]) {
      const item = server.item(at)
      expect((await ada.opens(item)).message).toEqual((await bob.opens(item)).message)
      expect(await eve.secrets.open(BEAM, 'share_clipboard', String(item.message))).toEqual({ is: 'unknown' })
    }
  })

  it('tells the new keys before anything is sealed with them', async () => {
    removed(EVE, ADA, BOB)
    ada.channel.share(ITEM, 'oat milk', 'text')
    await vi.waitFor(() => expect(server.of('share')).toHaveLength(1))
    expect(opsOf().indexOf('keys')).toBeGreaterThan(-1)
    expect(opsOf().indexOf('keys')).toBeLessThan(opsOf().indexOf('share'))
    expect((await bob.opens(server.item())).message).toBe('oat milk')
  })

  it('leaves to the device that removed it, and then to any that may, to change the keys', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    ada.hasRemoved = false
    removed(EVE, ADA, BOB)
    await settled()
    expect(ada.invite).toBe(link)
    vi.advanceTimersByTime(10_000)
    await isUpToDate(bob)
  })

  it('changes them once, however often the server tells of it', async () => {
    removed(EVE, ADA, BOB)
    await isUpToDate(bob)
    const { invite } = ada
    ada.channel.removed([EVE])
    ada.channel.share(ITEM, 'oat milk', 'text')
    await vi.waitFor(() => expect(server.of('share')).toHaveLength(1))
    expect(ada.invite).toBe(invite)
  })

  it('changes them for the person who asked for it, whatever the server says since of who may', async () => {
    ada.mayRemove = false
    removed(EVE, ADA, BOB)
    await isUpToDate(bob)
  })

  it('changes nothing where the device may not remove', async () => {
    ada.mayRemove = false
    ada.hasRemoved = false
    removed(EVE, ADA, BOB)
    ada.channel.share(ITEM, 'oat milk', 'text')
    await vi.waitFor(() => expect(server.of('share')).toHaveLength(1))
    expect(ada.invite).toBe(link)
  })

  it('reaches a device that was away when it comes back, also while nothing is shared', async () => {
    bob.channel.end()
    server.pages.delete(BOB)
    removed(EVE, ADA)
    await vi.waitFor(() => expect(ada.invite).not.toBe(link))
    const back = new Page(server, BOB, null, bob.secrets)
    server.lists(ADA, BOB)
    await isUpToDate(back)
  })

  it('opens what came before the keys did', async () => {
    bob.channel.end()
    server.pages.delete(BOB)
    removed(EVE, ADA)
    ada.channel.share(ITEM, 'oat milk', 'text')
    await vi.waitFor(() => expect(server.of('share')).toHaveLength(1))
    const back = new Page(server, BOB, null, bob.secrets)
    await back.is('sealed')
    const opened = back.opensLater(server.item())
    server.lists(ADA, BOB)
    expect((await opened).message).toBe('oat milk')
  })

  describe('that a device has not heard of', () => {
    /** Ada deletes an item of Bob's with keys that he does not have. Resolves to the deletion, of which he has heard once. */
    const deletes = async () => {
      bob.channel.share(ITEM, 'bread', 'text')
      await vi.waitFor(() => expect(server.of('share')).toHaveLength(1))
      const item = server.item()
      for (const page of [ada, bob]) {
        page.memory.received(item)
        await page.opens(item)
      }
      server.pages.delete(BOB)
      removed(EVE, ADA)
      await vi.waitFor(() => expect(ada.invite).not.toBe(link))
      ada.channel.delete(ITEM, 'bread')
      await vi.waitFor(() => expect(server.of('delete')).toHaveLength(1))
      const { message, extra } = server.of('delete')[0] ?? {}
      bob.memory.taken(ITEM, message)
      expect(await bob.channel.isDeleted(message, extra, ITEM)).toBe(false)
      return item
    }
    const doubts = () => bob.memory.doubted.map(({ id }) => id)
    const getsKeys = async () => {
      server.pages.set(BOB, bob)
      server.lists(ADA, BOB)
      await isUpToDate(bob)
    }

    it('has that device believe what is deleted by them once they come, and undo nothing (E4)', async () => {
      await deletes()
      expect(doubts()).toEqual([ITEM])
      const before = bob.resyncs
      await getsKeys()
      await vi.waitFor(() => expect(bob.resyncs).toBeGreaterThan(before))
      bob.channel.synced([])
      await vi.waitFor(() => expect(doubts()).toEqual([]))
      expect(server.of('share')).toHaveLength(1)
    })

    it('has it undo that where they do not come within 30 s (E4)', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      const item = await deletes()
      await settled()
      vi.advanceTimersByTime(29_000)
      await settled()
      expect(server.of('share')).toHaveLength(1)
      await vi.waitFor(() => expect(server.of('share')).toHaveLength(2), { timeout: 2_000 })
      expect(server.item()).toEqual(item)
    })

    it('leaves what was shared again meanwhile, as by an Undo (E4)', async () => {
      const item = await deletes()
      bob.memory.received(item)
      await bob.opens(item)
      await getsKeys()
      bob.channel.synced([item])
      await settled()
      bob.memory.taken(ITEM, item.message)
      expect(await bob.channel.isDeleted(item.message, undefined, ITEM)).toBe(false)
      // It counts here still.
      expect(doubts()).toEqual([ITEM])
    })
  })

  it('reaches a device that knows nobody who is here by the new link', async () => {
    bob.channel.end()
    server.pages.delete(BOB)
    removed(EVE, ADA)
    await vi.waitFor(() => expect(ada.invite).not.toBe(link))
    const cleo = await joins(CLEO, ADA)
    ada.channel.end()
    server.pages.delete(ADA)
    const back = new Page(server, BOB, cleo.invite, bob.secrets)
    server.lists(CLEO, BOB)
    await isUpToDate(back, cleo)
  })

  it('takes no keys of a device that nobody sees', async () => {
    server.pages.delete(EVE)
    server.lists(ADA, BOB)
    await eve.secrets.rekey(BEAM, [])
    const keys = await eve.secrets.handTo(BEAM, ADA, EVE)
    ada.channel.heard(EVE, { op: 'keys', ...keys })
    await settled()
    expect(ada.invite).toBe(link)
  })

  it('lets the removed device say nothing more after a minute, and what was shared stays readable', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const says = async (message: string, from = EVE) => {
      const content = { from, to: ADA, message }
      const sealed = await (from === EVE ? eve : bob).secrets.seal(BEAM, 'signal', JSON.stringify(content))
      ada.channel.signalled(from, sealed, (one) => heard.push(one))
      await settled()
    }
    const heard: unknown[] = []
    eve.channel.share(ITEM, 'oat milk', 'text')
    await vi.waitFor(() => expect(server.of('share')).toHaveLength(1))
    const proof = await eve.secrets.seal(BEAM, 'delete_note', JSON.stringify({ id: ITEM }))
    removed(EVE, ADA, BOB)
    await isUpToDate(bob)
    await says('on its way')
    vi.setSystemTime(Date.now() + 60_000)
    await says('too late')
    await says('as ever', BOB)
    expect(heard).toEqual(['on its way', 'as ever'])
    expect((await ada.opens(server.item())).message).toBe('oat milk')
    ada.channel.listed([])
    expect(await ada.channel.isDeleted(server.item().message, proof, ITEM)).toBe(false)
  })

  it('makes the link of before worthless, and says so', async () => {
    removed(EVE, ADA, BOB)
    await isUpToDate(bob)
    const late = new Page(server, CLEO, link)
    server.lists(ADA, BOB, CLEO)
    await vi.waitFor(() => expect(late.isLinkOld).toBe(true))
    expect(late.states.at(-1)).toBe('waiting')
  })

  it('is not asked for over and over by the link of a stranger', async () => {
    const stranger = newSecrets()
    const { invite } = await stranger.make(BEAM)
    new Page(server, CLEO, invite, stranger)
    bob.channel.end()
    const before = server.ways.length
    const back = new Page(server, BOB, invite, bob.secrets)
    server.lists(CLEO, BOB)
    await back.is('sealed')
    for (let times = 0; times < 20; times += 1) await settled()
    const joins = server.ways.slice(before).filter(({ message }) => (message as { op: string }).op === 'join')
    expect(joins).toHaveLength(1)
  })

  it('seals anew what opens a kept beam without a device', async () => {
    ada.channel.kept(true, true)
    await vi.waitFor(() => expect(server.of('share')).toHaveLength(1))
    ada.channel.came(server.item())
    removed(EVE, ADA, BOB)
    await vi.waitFor(() => expect(server.of('share')).toHaveLength(2))
    expect(server.item().id).toBe(server.item(0).id)
    await isUpToDate(bob)
    const late = new Page(server, CLEO, ada.invite)
    await late.is('waiting')
    late.channel.came(server.item())
    await late.is('sealed')
    const old = new Page(server, OTHER as string as DeviceId, link)
    await old.is('waiting')
    const tried = vi.spyOn(old.secrets, 'openKept')
    old.channel.came(server.item())
    await vi.waitFor(() => expect(tried).toHaveResolved())
    expect(old.states.at(-1)).toBe('waiting')
  })

  it('is deposited with a saved beam', async () => {
    const written: Deposit[] = []
    const nowhere = { read: async () => null, write: async () => {}, remove: async () => {} }
    const deposits = {
      read: async () => written.at(-1) ?? null,
      write: async (_: BeamId, keys: Deposit) => void written.push(keys),
    }
    const owner = await makes(new Secrets(nowhere, deposits))
    owner.mayRemove = true
    owner.hasRemoved = true
    void owner.channel.saved(true)
    await vi.waitFor(() => expect(written).toHaveLength(1))
    owner.channel.removed([EVE])
    await vi.waitFor(() => expect(written).toHaveLength(2))
    expect(written[1]?.current).not.toBe(written[0]?.current)
    expect(written[1]?.keys).toContain(written[0]?.keys[0])
  })
})

describe('e15 a device that made a key of its own where it found none, and has taken that of the others by a welcome', () => {
  /** All are away when Cleo opens the link, and nothing is there. Ada comes back, and shares something that Cleo asks the key of. */
  beforeEach(async () => {
    for (const device of [ADA, BOB, EVE]) server.pages.delete(device)
    const cleo = new Page(server, CLEO, link)
    await cleo.is('waiting')
    server.lists(CLEO)
    await cleo.is('sealed')
    server.pages.set(ADA, ada)
    ada.channel.welcomed(ADA)
    server.lists(ADA, CLEO)
    await settled()
    ada.channel.share(ITEM, 'bread', 'text')
    await vi.waitFor(() => expect(server.of('share')).toHaveLength(1))
    expect((await cleo.opensLater(server.item())).message).toBe('bread')
    await settled()
  })

  it('e15_tells_the_others_its_public_key_under_the_key_that_it_has_taken', async () => {
    await vi.waitFor(async () => expect(await ada.secrets.handTo(BEAM, CLEO, ADA)).not.toBeNull())
  })

  it('e15_is_handed_the_new_keys_when_another_device_is_removed', async () => {
    removed(EVE, ADA, CLEO)
    await vi.waitFor(() => expect(ada.invite).not.toBe(link))
    const cleo = server.pages.get(CLEO)
    await vi.waitFor(() => expect(cleo?.invite).toBe(ada.invite))
  })
})

describe('e15 a worker that is replaced while keys are changed', () => {
  it.each(['handTo', 'sealKept'] as const)(
    'keeps nothing waiting that goes out: before %s',
    async (method) => {
      const { secrets, diesBefore } = mortalSecrets()
      ada = await makes(secrets)
      ada.mayRemove = true
      ada.hasRemoved = true
      bob = await joins(BOB, ADA)
      ada.channel.kept(true, true)
      await vi.waitFor(() => expect(server.of('share')).toHaveLength(1))
      ada.channel.came(server.item())
      diesBefore(method)
      removed(EVE, ADA, BOB)
      ada.channel.share(ITEM, 'oat milk', 'text')
      await vi.waitFor(() => expect(server.of('share')).toHaveLength(3))
      await isUpToDate(bob)
      expect((await bob.opens(server.item())).message).toBe('oat milk')
    },
  )

  it('keeps nothing waiting that goes out when a beam is to be kept', async () => {
    const { secrets, diesBefore } = mortalSecrets()
    ada = await makes(secrets)
    diesBefore('sealKept')
    ada.channel.kept(true, true)
    await vi.waitFor(() => expect(server.of('share')).toHaveLength(1))
  })

  it('is asked again to follow a beam to its new id', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    for (const [page, isMine] of [[ada, true] as const, [bob, false] as const]) {
      vi.spyOn(page.secrets, 'moved').mockRejectedValueOnce(new Error('The keys cannot be reached.'))
      page.channel.move(NEXT, isMine)
    }
    await settled()
    vi.advanceTimersByTime(1_000)
    await isUpToDate(bob)
    ada.channel.share(ITEM, 'oat milk', 'text')
    await vi.waitFor(() => expect(server.of('share')).toHaveLength(1))
    expect((await bob.opens(server.item())).message).toBe('oat milk')
  })
})

describe('e15 a person who may not read a saved beam any more', () => {
  const nowhere = { read: async () => null, write: async () => {}, remove: async () => {} }

  it.each(['in the beam', 'elsewhere'])('gets no new key, also when the owner is %s', async (where) => {
    const written: Deposit[] = []
    const deposits = {
      read: async () => written.at(-1) ?? null,
      write: async (_: BeamId, keys: Deposit) => void written.push(keys),
    }
    const owner = await makes(new Secrets(nowhere, deposits))
    void owner.channel.saved(true)
    await vi.waitFor(() => expect(written).toHaveLength(1))
    const others = new Secrets(nowhere, deposits)
    await others.enter(BEAM, null)
    await others.withdraw(BEAM)
    if (where === 'in the beam') void owner.channel.rekey()
    else await owner.secrets.rekeySaved(BEAM)
    await vi.waitFor(() => expect(written).toHaveLength(2))
    const sealed = await owner.secrets.seal(BEAM, 'share_clipboard', 'oat milk')
    expect(await others.open(BEAM, 'share_clipboard', sealed)).toEqual({ is: 'unknown' })
    // Whoever may still read finds the new key in the deposit.
    await others.withdraw(BEAM)
    expect(await others.open(BEAM, 'share_clipboard', sealed)).toMatchObject({ is: 'open', text: 'oat milk' })
    const answer = await others.seal(BEAM, 'share_clipboard', 'soy milk')
    expect(await owner.secrets.open(BEAM, 'share_clipboard', answer)).toMatchObject({ text: 'soy milk' })
  })
})

describe('e15 a renewed link', () => {
  it('carries a new secret on every device that goes along, and what was written stays readable', async () => {
    ada.channel.share(ITEM, 'oat milk', 'text')
    await vi.waitFor(() => expect(server.of('share')).toHaveLength(1))
    eve.channel.end()
    server.pages.delete(EVE)
    ada.channel.move(NEXT, true)
    bob.channel.move(NEXT, false)
    for (const [device, page] of [[ADA, ada] as const, [BOB, bob] as const]) page.channel.welcomed(device)
    server.lists(ADA, BOB)
    await isUpToDate(bob)
    expect((await bob.opens(server.item())).message).toBe('oat milk')
    const late = new Page(server, CLEO, link)
    late.channel.move(NEXT, false)
    server.lists(ADA, BOB, CLEO)
    await vi.waitFor(() => expect(late.isLinkOld).toBe(true))
  })
})

describe('e1 the pages of a browser', () => {
  it('take no newer keys from each other that one of them has kept', async () => {
    const kept = new Map<BeamId, KeptShared>()
    const store = {
      read: async (beam: BeamId) => kept.get(beam) ?? null,
      write: async (beam: BeamId, keys: KeptShared) => void kept.set(beam, keys),
      remove: async (beam: BeamId) => void kept.delete(beam),
    }
    const page = () => new Secrets(store, { read: async () => null, write: async () => {} })
    const [first, second] = [page(), page()]
    await first.make(BEAM)
    await second.enter(BEAM, null)
    await first.rekey(BEAM, [EVE])
    const sealed = await first.seal(BEAM, 'share_clipboard', 'oat milk')
    // It was in another beam meanwhile.
    await second.enter(BEAM, null)
    const later = page()
    await later.enter(BEAM, null)
    for (const one of [second, later]) {
      expect(await one.open(BEAM, 'share_clipboard', sealed)).toMatchObject({ is: 'open', text: 'oat milk' })
    }
  })
})
