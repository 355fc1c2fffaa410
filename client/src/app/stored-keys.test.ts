import { afterEach, beforeEach, describe, expect, it, type Mock, vi } from 'vitest'
import { toBase64Url } from '../crypto/bytes'
import type { Deposit } from '../crypto/deposit'
import type { BeamId } from '../protocol/bindings'
import { keptKeysIn } from '../protocol/sealed-item'
import type { ItemsEvent } from '../stores/items'
import { Gate } from '../transport/gate'
import type { Deposits } from '../transport/saved-beam-secrets'
import { Secrets } from '../transport/secrets'
import { OpeningStage } from './opening-stage'
import {
  ADA,
  ada,
  BEAM,
  BOB,
  begins,
  bobJoins,
  CLEAR,
  EVE,
  ITEM,
  mortalSecrets,
  OTHER,
  Page,
  server,
  shared,
} from './sealed-beam-stage'

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
  await owner.stored(BEAM, true)
  await owner.deposit(BEAM)
  const laptop = new Page(server, ADA, invite, owner)
  await laptop.is('sealed')
  return { laptop, phone: new Page(server, BOB, null, new Secrets(nowhere, bank)), bank }
}

describe('e9 a saved beam', () => {
  it('is told to be saved once its keys are deposited', async () => {
    const nowhere = { read: async () => null, write: async () => {}, remove: async () => {} }
    const [slow, deposited] = [new Gate(), vi.fn()]
    const write = vi.fn(async () => {
      await slow.wait()
      deposited()
    })
    const owner = new Secrets(nowhere, { read: async () => null, write })
    const { invite } = await owner.make(BEAM)
    const laptop = new Page(server, ADA, invite, owner)
    await laptop.is('sealed')
    const told = laptop.channel.saved(true).then(() => expect(deposited).toHaveBeenCalled())
    await vi.waitFor(() => expect(write).toHaveBeenCalled())
    slow.open()
    await told
  })

  it('counts as one that the server can read also for devices that it does not tell of the saving (E15)', async () => {
    const bank: Deposits = { read: async () => null, write: async () => {} }
    const nowhere = { read: async () => null, write: async () => {}, remove: async () => {} }
    const owner = new Secrets(nowhere, bank)
    const { invite } = await owner.make(BEAM)
    const laptop = new Page(server, ADA, invite, owner)
    await laptop.is('sealed')
    const phone = new Page(server, BOB, invite)
    server.lists(ADA, BOB)
    await phone.is('sealed')
    expect(await phone.secrets.enter(BEAM, null)).toMatchObject({ isDeposited: false })
    await laptop.channel.saved(true)
    await vi.waitFor(() => expect(phone.isDeposited).toBe(true))
    expect(await phone.secrets.enter(BEAM, null)).toMatchObject({ isDeposited: true })
  })

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
    void laptop.channel.saved(true)
    laptop.channel.share(ITEM, 'bread', 'text')
    await vi.waitFor(() => expect(deposited.size).toBe(1))
    await shared()
    const phone = new Page(server, BOB, null, new Secrets(nowhere, bank))
    void phone.channel.saved(false)
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
    void page.channel.saved(false)
    await vi.waitFor(async () => expect((await secrets.enter(BEAM, null)).isDeposited).toBe(true))
    // It may say so with each new socket.
    void page.channel.saved(false)
    const change = vi.spyOn(secrets, 'stored')
    void page.channel.saved(false)
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
    await eve.stored(BEAM, true)
    await eve.deposit(BEAM)
    const secrets = new Secrets(nowhere, { ...bank, write: async () => {} })
    const { invite } = await secrets.make(BEAM)
    const page = new Page(server, ADA, invite, secrets)
    for (let times = 0; times < 3; times += 1) void page.channel.saved(false)
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
      phone.isLoggedIn = async () => {
        await login.wait()
        return true
      }
      void phone.channel.saved(false)
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
    void phone.channel.saved(false)
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
    void phone.channel.saved(false)
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

    void bob.channel.saved(false)
    await bob.is('sealed')
    await vi.waitFor(() => expect(laptop.trust[BOB]).toBeNull())
    expect(laptop.confirms(BOB)).toBe(false)
  })

  it('opens what came before the server told what was deposited', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { laptop, phone, bank } = await besideDeposit()
    void phone.channel.saved(false)
    await phone.is('sealed')
    await laptop.secrets.rekey(BEAM, [])
    await laptop.secrets.deposit(BEAM)
    laptop.channel.share(ITEM, 'bread', 'text')
    await shared()
    const read = vi.spyOn(bank, 'read').mockRejectedValueOnce(new Error('The server answers 503.'))
    await expect(phone.opens(server.item())).rejects.toThrow()
    await vi.waitFor(() => expect(read).toHaveBeenCalledTimes(1))
    // No other device has told the key in time.
    for (let times = 0; times < 5; times += 1) {
      vi.advanceTimersByTime(10_000)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(phone.resyncs).toBe(0)
    void phone.channel.saved(false)
    await vi.waitFor(() => expect(phone.resyncs).toBe(1))
    expect((await phone.opens(server.item())).content).toEqual({ kind: 'text', text: 'bread' })
  })

  it('whose keys nobody deposited waits for another device, as any other', async () => {
    const page = new Page(server, BOB, null)
    void page.channel.saved(false)
    server.lists(ADA, BOB)
    await page.is('sealed')
    expect(page.states).toContain('locked')
  })
})

describe('e9 new keys of a saved beam', () => {
  /** Returns the page of a person who has saved the beam, and what the server was given and is asked to take. */
  async function owns(): Promise<{ owner: Page; taken: Deposit[]; write: Mock<Deposits['write']> }> {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const taken: Deposit[] = []
    const write = vi.fn<Deposits['write']>(async (_, keys) => void taken.push(keys))
    const nowhere = { read: async () => null, write: async () => {}, remove: async () => {} }
    const secrets = new Secrets(nowhere, { read: async () => null, write })
    const { invite } = await secrets.make(BEAM)
    const owner = new Page(server, ADA, invite, secrets)
    await owner.is('sealed')
    void owner.channel.saved(true)
    await vi.waitFor(() => expect(owner.deposits).toBe(1))
    expect(taken).toHaveLength(1)
    return { owner, taken, write }
  }
  const offline = async () => Promise.reject(new Error('The server answers 503.'))
  const passed = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1_000)

  it('are deposited once the login could be renewed', async () => {
    const { owner, taken, write } = await owns()
    owner.isLoggedIn = vi.fn(owner.isLoggedIn).mockImplementationOnce(offline).mockImplementationOnce(offline)
    void owner.channel.rekey()
    await vi.waitFor(() => expect(owner.isLoggedIn).toHaveBeenCalledTimes(1))
    expect([write.mock.calls.length, owner.deposits]).toEqual([1, 1])
    await passed(1 + 2)
    await vi.waitFor(() => expect(owner.deposits).toBe(2))
    expect(taken).toHaveLength(2)
    expect(taken[1]?.current).not.toBe(taken[0]?.current)
  })

  it('are deposited once the server takes them, the newest alone', async () => {
    const { owner, taken, write } = await owns()
    write.mockImplementation(offline)
    const areThere = vi.fn()
    void owner.channel.rekey().then(areThere)
    await vi.waitFor(() => expect(write.mock.calls.length).toBeGreaterThan(1))
    const nextAreThere = owner.channel.rekey()
    await vi.waitFor(async () => {
      await passed(1)
      expect(write.mock.lastCall?.[1].keys).toHaveLength(3)
    })
    expect(areThere).not.toHaveBeenCalled()
    write.mockImplementation(async (_, keys) => void taken.push(keys))
    await passed(60)
    await vi.waitFor(() => expect(taken).toHaveLength(2))
    await passed(60)
    expect([taken.length, owner.deposits]).toEqual([2, 2])
    expect(taken[1]?.keys).toHaveLength(3)
    expect(await nextAreThere).toBe('done')
    await vi.waitFor(() => expect(areThere).toHaveBeenCalledExactlyOnceWith('done'))
  })

  it('are not deposited any more once nobody is logged in, or the beam was left', async () => {
    const { owner, write } = await owns()
    owner.isLoggedIn = vi.fn(async () => false)
    expect(await owner.channel.rekey()).toBe('not-there')
    await passed(120)
    expect(owner.isLoggedIn).toHaveBeenCalledTimes(1)

    owner.isLoggedIn = vi.fn(offline)
    const areThere = owner.channel.rekey()
    await vi.waitFor(() => expect(owner.isLoggedIn).toHaveBeenCalledTimes(1))
    owner.channel.end()
    expect(await areThere).toBe('not-there')
    await passed(120)
    expect(owner.isLoggedIn).toHaveBeenCalledTimes(1)
    expect([write.mock.calls.length, owner.deposits]).toEqual([1, 1])
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
    phone.channel.came(keys)
    expect(await phone.channel.open(keys, null)).toBeNull()
    expect((await opened).content).toEqual({ kind: 'text', text: 'bread' })
    expect(JSON.stringify(server.told)).not.toContain('bread')
  })

  it('does not open without the secret of the link', async () => {
    ada.channel.kept(true, true)
    await shared()
    const eve = new Page(server, EVE, toBase64Url(new Uint8Array(32)))
    const tried = vi.spyOn(eve.secrets, 'openKept')
    eve.channel.came(server.item())
    await vi.waitFor(() => expect(tried).toHaveResolved())
    await eve.is('waiting')
  })

  it('has its keys again when it is kept once more after the server has lost them', async () => {
    ada.channel.kept(true, true)
    await shared()
    ada.channel.came(server.item())
    ada.channel.synced([])
    ada.channel.kept(true, true)
    await shared(2)
    expect(server.item(1).id).not.toBe(server.item(0).id)
  })

  it('has its keys also where somebody else shared what only looks like them', async () => {
    ada.channel.came({ ...CLEAR, message: 'e2k1.AAAA' })
    ada.channel.kept(true, true)
    await shared()
  })

  it('has its keys shared again as they were when somebody deletes them', async () => {
    ada.channel.kept(true, true)
    await shared()
    const keys = server.item()
    ada.channel.came(keys)
    await ada.channel.isDeleted(keys.message, undefined, keys.id)
    await shared(2)
    expect(server.item()).toEqual(keys)
  })

  const passed = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1_000)

  it('has its keys also where a device has it kept that does not seal', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    server.lists(ADA)
    ada.channel.kept(true, false)
    await passed(2)
    await shared()
    expect(keptKeysIn(server.item().message)).not.toBeNull()
    const phone = new Page(server, BOB, ada.invite)
    await phone.is('waiting')
    phone.channel.came(server.item())
    await phone.is('sealed')
  })

  it('is given its keys by one device alone, and by the next one where that does not', async () => {
    const bob = await bobJoins()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    for (const page of [ada, bob]) page.channel.kept(true, false)
    ada.channel.end()
    await passed(3)
    bob.channel.share(ITEM, 'bread', 'text')
    await shared()
    expect(keptKeysIn(server.item().message)).toBeNull()
    await passed(1)
    await shared(2)
    expect(server.of('share').map(({ from }) => from)).toEqual([BOB, BOB])
    expect(keptKeysIn(server.item().message)).not.toBeNull()
  })

  it.each([
    [
      'finds them there',
      async () => {
        const page = new Page(server, BOB, ada.invite, ada.secrets)
        await page.is('sealed')
        page.channel.came(server.item())
        return page
      },
    ],
    [
      'had no secret when they came',
      async () => {
        const page = new Page(server, BOB, null)
        page.channel.came(server.item())
        server.lists(ADA, BOB)
        return page
      },
    ],
  ])('is not given its keys again by a device that %s', async (_, comes) => {
    ada.channel.kept(true, true)
    await shared()
    const bob = await comes()
    await bob.is('sealed')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    bob.channel.kept(true, false)
    server.lists(ADA, BOB)
    await passed(60)
    bob.channel.share(ITEM, 'bread', 'text')
    await shared(2)
    expect(server.of('share').filter(({ message }) => keptKeysIn(message) !== null)).toHaveLength(1)
  })

  it.each([
    ['nobody has told what is in it', (): void => {}],
    [
      'it is saved',
      () => {
        server.lists(ADA)
        void ada.channel.saved(false)
      },
    ],
    [
      'it is kept no longer',
      () => {
        server.lists(ADA)
        ada.channel.kept(false, false)
      },
    ],
  ])('is not given its keys where %s', async (_, then) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    ada.channel.kept(true, false)
    then()
    await passed(60)
    ada.channel.share(ITEM, 'bread', 'text')
    await shared()
    expect(keptKeysIn(server.item().message)).toBeNull()
  })

  it('opens to a person who typed its id and then opens its link, when nobody else is here', async () => {
    ada.channel.share(ITEM, 'bread', 'text')
    ada.channel.kept(true, true)
    await shared(2)
    server.pages.delete(ADA)
    const phone = new Page(server, BOB, null)
    const delivered: ItemsEvent[] = []
    const stage = new OpeningStage(phone.channel, (events) => void delivered.push(...events))
    const tried = vi.spyOn(phone.secrets, 'openKept')
    // Nothing is opened behind the bread, which waits for the keys.
    for (const at of [0, 1]) stage.push({ type: 'received', item: server.item(at), note: null })
    server.lists(BOB)
    await vi.waitFor(() => expect(tried).toHaveResolved())
    await phone.is('locked')
    phone.channel.invited(String(ada.invite))
    await phone.is('sealed')
    await vi.waitFor(() => expect(delivered).toMatchObject([{ item: { content: { text: 'bread' } } }]))
  })

  it('opens also where the worker was replaced meanwhile', async () => {
    ada.channel.kept(true, true)
    await shared()
    const { secrets, diesBefore } = mortalSecrets()
    const phone = new Page(server, BOB, ada.invite, secrets)
    await phone.is('waiting')
    diesBefore('openKept')
    phone.channel.came(server.item())
    await phone.is('sealed')
  })

  it('has the keys once, as long as it is kept', async () => {
    ada.channel.kept(true, true)
    await shared()
    ada.channel.came(server.item())
    ada.channel.kept(true, true)
    ada.channel.kept(false, true)
    await vi.waitFor(() => expect(server.of('delete')).toHaveLength(1))
    expect(server.of('delete')[0]?.id).toBe(server.item().id)
    expect(server.of('share')).toHaveLength(1)
  })

  it('that is saved takes the item with the keys back, and shares no later keys in it', async () => {
    ada.channel.kept(true, true)
    await shared()
    const keys = server.item()
    ada.channel.came(keys)
    void ada.channel.saved(true)
    await vi.waitFor(() => expect(server.of('delete')[0]?.id).toBe(keys.id))
    void ada.channel.rekey()
    ada.channel.share(ITEM, 'bread', 'text')
    await shared(2)
    expect(server.of('share').map(({ id }) => id)).toEqual([keys.id, ITEM])
  })

  it('that somebody else saves shares no later keys in its item', async () => {
    ada.channel.kept(true, true)
    await shared()
    const keys = server.item()
    ada.channel.came(keys)
    void ada.channel.saved(false)
    void ada.channel.rekey()
    ada.channel.share(ITEM, 'bread', 'text')
    await shared(2)
    expect(server.of('share').map(({ id }) => id)).toEqual([keys.id, ITEM])
  })
})
