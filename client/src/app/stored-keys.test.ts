import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { toBase64Url } from '../crypto/bytes'
import type { Deposit } from '../crypto/deposit'
import type { BeamId } from '../protocol/bindings'
import { Gate } from '../transport/gate'
import { type Deposits, Secrets } from '../transport/secrets'
import { ADA, ada, BEAM, BOB, begins, EVE, ITEM, OTHER, Page, server, shared } from './sealed-beam-stage'

beforeEach(begins)
afterEach(() => void vi.useRealTimers())

/** Returns a page that has deposited the keys of the beam, and one beside it that came without the link. */
async function besideDeposit(): Promise<{ laptop: Page; phone: Page; bank: Deposits }> {
  const deposited: Deposit[] = []
  const bank: Deposits = {
    read: async () => deposited.at(-1) ?? null,
    write: async (_, keys) => void deposited.push(keys),
  }
  const nowhere = { read: async () => null, write: async () => {}, remove: async () => {} }
  const owner = new Secrets(nowhere, bank)
  const { invite } = await owner.make(BEAM)
  await owner.deposit(BEAM)
  const laptop = new Page(server, ADA, invite, owner)
  await laptop.is('sealed')
  return { laptop, phone: new Page(server, BOB, null, new Secrets(nowhere, bank)), bank }
}

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
      const { laptop, phone } = await besideDeposit()
      const login = new Gate()
      phone.channel.saved(false, login.wait())
      if (isFull) {
        laptop.channel.share(ITEM, 'bread', 'text')
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

  it('shares nothing while the server does not tell what was deposited, and asks it again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { phone, bank } = await besideDeposit()
    const read = vi.spyOn(bank, 'read').mockRejectedValueOnce(new Error('The server answers 503.'))
    phone.channel.saved(false)
    server.lists(BOB)
    phone.channel.share(OTHER, 'lemons', 'text')
    await vi.waitFor(() => expect(read).toHaveBeenCalledTimes(1))
    await phone.secrets.enter(BEAM, null)
    vi.advanceTimersByTime(1_000)
    await shared()
    expect(phone.states).toEqual(['unknown', 'sealed'])
    expect(JSON.stringify(server.told)).not.toContain('lemons')
  })

  it('that was saved while a device waited outside leaves nothing to compare once its deposit opens it', async () => {
    const { laptop, phone } = await besideDeposit()
    laptop.asks = true
    server.lists(ADA, BOB)
    await vi.waitFor(() => expect(phone.trust[ADA]).toMatchObject({ state: 'unverified' }))
    phone.channel.saved(false)
    await phone.is('sealed')
    expect(phone.trust[ADA]).toBeNull()
  })

  it('that was saved while a person was asked about a device asks nobody any more once its deposit opens it', async () => {
    const { laptop, phone: bob } = await besideDeposit()
    laptop.asks = true
    server.lists(ADA, BOB)
    await vi.waitFor(() => expect(laptop.trust[BOB]).toMatchObject({ state: 'asking' }))
    // The server cannot say in its name that it is in.
    laptop.channel.heard(BOB, { op: 'device', sealed: 'e2e1.AAAA', isAnswer: true })
    laptop.channel.signal(BOB, 'what comes after it')
    await vi.waitFor(() => expect(server.of('signal')).toHaveLength(1))
    expect(laptop.trust[BOB]).toMatchObject({ state: 'asking' })

    bob.channel.saved(false)
    await bob.is('sealed')
    await vi.waitFor(() => expect(laptop.trust[BOB]).toBeNull())
    expect(laptop.channel.ways.confirm(BOB)).toBe(false)
  })

  it('whose keys nobody deposited waits for another device, as any other', async () => {
    const page = new Page(server, BOB, null)
    page.channel.saved(false)
    server.lists(ADA, BOB)
    await page.is('sealed')
    expect(page.states).toContain('locked')
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
