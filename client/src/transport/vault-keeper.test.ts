import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { toBase64Url } from '../crypto/bytes'
import { Vault } from '../crypto/vault'
import type { VaultServer } from './vault-calls'
import {
  accounts,
  BEAM,
  begins,
  device,
  keptHere,
  leftAtOnce,
  logsIn,
  noAnswer,
  type PageVault,
  pageVault,
  withVault,
} from './vault-stage'
import type { KeptVaults } from './vault-store'

beforeEach(begins)

describe('a vault', () => {
  it('e17 is opened on another device by the password, of which the server has only one part', async () => {
    await withVault('ada')
    const { isIn, state } = await logsIn('ada', 'correct horse')
    expect([isIn, state?.is]).toEqual([true, 'open'])
    expect(JSON.stringify(accounts.all.get('ada'))).not.toContain('correct horse')
    expect((await logsIn('ada', 'a guess')).isIn).toBe(false)
  })

  it('e17 stays open for later pages of the device, until the person logs out', async () => {
    await withVault('ada')
    const kept = keptHere()
    const first = device('ada', kept)
    const stretch = accounts.all.get('ada')?.vault?.stretch
    if (stretch) await first.prove('correct horse', stretch)
    await first.keepOpener()
    await first.enterVault('ada', false)
    expect((await device('ada', kept).enterVault('ada', false)).is).toBe('open')
    await first.leaveVault()
    expect((await device('ada', kept).enterVault('ada', false)).is).toBe('locked')
  })
})

describe('an account that was made anew under the name of one with a vault', () => {
  const kept = keptHere()
  beforeEach(() => kept.write('ada', new Uint8Array(32).fill(7)))

  it('e17 has none on a device that knew it, after a login by a password as it was typed', async () => {
    const page = device('ada', kept)
    await page.loggedInAsTyped('ada')
    expect(await page.enterVault('ada', true)).toEqual({ is: 'none' })
    expect([await kept.read('ada'), await page.isOpen()]).toEqual([null, false])
    await page.beginVault()
    expect(await page.createVault('the old one', 'correct horse')).toBe('done')
  })

  it.each([
    ['without a login', async (_: PageVault) => {}],
    ['after a login by a part of a password', (page: PageVault) => page.keepOpener()],
    [
      'after a login to another account, for which the server names this one',
      (page: PageVault) => page.loggedInAsTyped('bob'),
    ],
    [
      'after the server has told of one since the login',
      async (page: PageVault) => {
        await page.loggedInAsTyped('ada')
        await page.enterVault('ada', true)
      },
    ],
  ])('e17 is not believed to have none %s', async (_, before) => {
    await withVault('ada')
    const page = device('ada', kept)
    await before(page)
    accounts.all.set('ada', { password: 'given', vault: null })
    expect((await page.enterVault('ada', true)).is).not.toBe('none')
  })
})

describe('a vault whose person has just logged in', () => {
  it('e17 is opened by the next page, and by those after it', async () => {
    await withVault('ada')
    const kept = keptHere()
    await leftAtOnce(kept)
    expect((await device('ada', kept).enterVault('ada', false)).is).toBe('open')
    expect(await kept.readOpener()).toBeNull()
    expect((await device('ada', kept).enterVault('ada', false)).is).toBe('open')
  })

  it('e17 is opened although a wrong password was typed meanwhile, as to delete the account', async () => {
    await withVault('ada')
    const kept = keptHere()
    await leftAtOnce(kept)
    const page = device('ada', kept)
    const { stretch } = accounts.all.get('ada')?.vault ?? {}
    if (stretch) await page.prove('a guess', stretch)
    expect((await page.enterVault('ada', true)).is).toBe('open')
  })

  it('e17 is opened later where the server does not tell at first', async () => {
    await withVault('ada')
    const kept = keptHere()
    await leftAtOnce(kept)
    const away: VaultServer = { ...accounts.as('ada'), read: () => Promise.reject(new Error('away')) }
    const unreachable = await pageVault(away, kept).enterVault('ada', true)
    expect(unreachable).toEqual({ is: 'unknown' })
    expect((await device('ada', kept).enterVault('ada', true)).is).toBe('open')
  })

  it.each([
    [
      'its password',
      async (kept: KeptVaults) => {
        const { stretch } = accounts.all.get('ada')?.vault ?? {}
        const page = device('ada', kept)
        if (stretch) await page.prove('another', stretch)
        await page.keepOpener()
        return pageVault({ ...accounts.as('ada'), read: noAnswer }, kept)
      },
    ],
    [
      'a password as it was typed',
      async (kept: KeptVaults) => {
        const page = pageVault({ ...accounts.as('ada'), read: noAnswer }, kept)
        await page.loggedInAsTyped('ada')
        return page
      },
    ],
  ])('e17 is not taken for the one of an earlier login, after one by %s', async (_, logsInBy) => {
    await withVault('ada')
    const kept = keptHere()
    await kept.write('ada', (await Vault.make()).secret)
    const page = await logsInBy(kept)
    expect([await page.enterVault('ada', true), await page.isOpen()]).toEqual([{ is: 'unknown' }, false])
  })

  it('e17 is opened by what opens it, also after the server has not told of it', async () => {
    const [kept, away] = [keptHere(), { ...accounts.as('ada'), read: noAnswer }]
    await withVault('ada')
    await kept.write('ada', (await Vault.make()).secret)
    await leftAtOnce(kept)
    await pageVault(away, kept).enterVault('ada', true)
    const state = await device('ada', kept).enterVault('ada', true)
    expect(state).toEqual((await logsIn('ada', 'correct horse')).state)
  })

  it('e17 stays open where the server does not tell for a while', async () => {
    await withVault('ada')
    const kept = keptHere()
    await leftAtOnce(kept)
    await device('ada', kept).enterVault('ada', true)
    const page = pageVault({ ...accounts.as('ada'), read: noAnswer }, kept)
    expect((await page.enterVault('ada', true)).is).toBe('open')
  })

  it('e17 is opened by no page after the person has logged out', async () => {
    await withVault('ada')
    const kept = keptHere()
    await leftAtOnce(kept)
    await device('ada', kept).leaveVault()
    expect((await device('ada', kept).enterVault('ada', false)).is).toBe('locked')
  })
})

describe('a login that ends', () => {
  /** A server that answers when the test says so. */
  function slow(server: VaultServer) {
    let [answer, ask] = [() => {}, () => {}]
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    const asked = new Promise<void>((resolve) => {
      ask = resolve
    })
    const late =
      <Args extends unknown[], Told>(call: (...args: Args) => Promise<Told>) =>
      async (...args: Args) => {
        ask()
        await answered
        return call(...args)
      }
    return { server: { ...server, read: late(server.read), write: late(server.write) }, answer, asked }
  }

  it.each([
    ['a password', async () => {}],
    ['what an earlier page has kept', (first: PageVault) => first.enterVault('ada', false)],
  ])('e17 leaves nothing of a vault that is just being opened by %s', async (_, before) => {
    await withVault('ada')
    const kept = keptHere()
    await leftAtOnce(kept)
    await before(device('ada', kept))
    const { server, answer, asked } = slow(accounts.as('ada'))
    const keeper = pageVault(server, kept)
    const entering = keeper.enterVault('ada', false)
    // It has read what is kept.
    await asked
    const leaving = keeper.leaveVault()
    answer()
    await Promise.all([entering, leaving])
    expect([await keeper.isOpen(), await kept.read('ada')]).toEqual([false, null])
  })

  it('e17 leaves nothing of a vault whose password is just being changed', async () => {
    await withVault('ada')
    const kept = keptHere()
    const { server, answer } = slow(accounts.as('ada'))
    const keeper = pageVault(server, kept)
    const changing = keeper.changePassword('correct horse', 'battery staple')
    await keeper.leaveVault()
    answer()
    await changing
    const left = [await keeper.isOpen(), await kept.read('ada'), await kept.isStretched()]
    expect(left).toEqual([false, null, false])
  })

  describe('where the browser refuses to remove what it keeps', () => {
    const refusing = async () => {
      vi.useFakeTimers()
      await withVault('ada')
      const kept = keptHere()
      await kept.write('ada', new Uint8Array(32))
      const clear = vi.fn(kept.clear).mockRejectedValueOnce(new Error('refused'))
      const keeper = pageVault(accounts.as('ada'), { ...kept, clear })
      await keeper.leaveVault()
      expect(await kept.read('ada')).not.toBeNull()
      return { keeper, kept, clear }
    }
    afterEach(() => vi.useRealTimers())

    it('e17 leaves nothing of the vault a while later', async () => {
      const { kept } = await refusing()
      await vi.advanceTimersByTimeAsync(60_000)
      expect(await kept.read('ada')).toBeNull()
    })

    it('e17 takes nothing from the login that follows meanwhile', async () => {
      const { keeper, clear } = await refusing()
      const { stretch } = accounts.all.get('ada')?.vault ?? {}
      if (stretch) await keeper.prove('correct horse', stretch)
      await keeper.keepOpener()
      await vi.advanceTimersByTimeAsync(60_000)
      expect(clear).toHaveBeenCalledOnce()
      expect(await keeper.enterVault('ada', false)).toMatchObject({ is: 'open' })
    })
  })

  it('e17 takes nothing from the login that follows at once, which waits for its end', async () => {
    await withVault('ada')
    const kept = keptHere()
    let hasEnded = () => {}
    let isEnding = true
    const clear = async () => {
      await new Promise<void>((resolve) => {
        hasEnded = resolve
      })
      isEnding = false
      await kept.clear()
    }
    const read: KeptVaults['read'] = async (username) => {
      expect(isEnding).toBe(false)
      return kept.read(username)
    }
    const keeper = pageVault(accounts.as('ada'), { ...kept, clear, read })
    const leaving = keeper.leaveVault()
    const { stretch } = accounts.all.get('ada')?.vault ?? {}
    if (stretch) await keeper.prove('correct horse', stretch)
    const accepted = keeper.keepOpener()
    const entering = keeper.enterVault('ada', false)
    hasEnded()
    await Promise.all([leaving, accepted])
    expect((await entering).is).toBe('open')
    expect(await kept.read('ada')).not.toBeNull()
  })
})

it('e17 a vault stays open when its account gets another username, and what is known of its beams stays known', async () => {
  const { keeper } = await withVault('ada')
  await keeper.ownBeams([BEAM])
  expect((await keeper.enterVault('ada.l', false)).is).toBe('open')
  expect([await keeper.isFor(BEAM, false), await keeper.hasStretched()]).toEqual([true, true])
})

it('e17 a vault stays open when its account gets another username, also where the browser does not tell at first what it keeps', async () => {
  const kept = keptHere()
  await withVault('ada')
  await leftAtOnce(kept)
  const page = device('ada', kept)
  await page.enterVault('ada', false)
  await page.ownBeams([BEAM])
  vi.spyOn(kept, 'readOpener').mockImplementationOnce(noAnswer)
  await expect(page.enterVault('ada.l', false)).rejects.toThrow()
  expect((await page.enterVault('ada.l', false)).is).toBe('open')
  expect(await page.isFor(BEAM, false)).toBe(true)
})

describe('a login of which the browser does not tell by what password it is', () => {
  const refusing = (): KeptVaults => ({ ...keptHere(), isStretched: noAnswer })

  it('e17 counts as one by the own password, where it is of an earlier page', async () => {
    expect(await device('ada', refusing()).hasStretched()).toBe(true)
  })

  it.each([
    ['as it was typed', (page: PageVault) => page.loggedInAsTyped('ada'), false],
    ['of which the server has a part', (page: PageVault) => page.keepOpener(), true],
  ])('e17 is by a password %s, where this page has seen that', async (_, logsInBy, is) => {
    const page = device('ada', refusing())
    await logsInBy(page)
    expect(await page.hasStretched()).toBe(is)
  })
})

describe('a page on which one person is logged in when another page of the browser logs in somebody else', () => {
  /** Ada's page, which was open all the time. */
  const follows = async (kept: KeptVaults) => {
    const page = device('ada', kept)
    await page.enterVault('ada', false)
    await page.beginVault()
    expect(await page.createVault('the old one', 'correct horse')).toBe('done')
    await page.ownBeams([BEAM])
    await device('ada', kept).leaveVault()
    return page
  }

  it('e17 knows nothing of the beams of the first one, whose keys may be handed to the second', async () => {
    const kept = keptHere()
    const page = await follows(kept)
    const { keeper: bob } = await withVault('bob')
    const [adas, bobs] = [await (await logsIn('ada', 'correct horse')).keeper.opened(), await bob.opened()]
    if (!adas || !bobs) throw new Error('They are open.')
    const to = bobs.publicKey
    const keys = await adas.seal(to, { keys: ['K'], current: 'kid', isDeposited: false })
    accounts.beam = { version: 1, keys: [{ username: 'bob', to, keys }] }
    await kept.write('bob', bobs.secret)
    Object.assign(page.server, accounts.as('bob'))
    expect((await page.enterVault('bob', true)).is).toBe('open')
    await page.ownBeams([])
    expect((await page.read(BEAM, false))?.is).toBe('handed')
  })

  it.each([
    ['at once', 0],
    ['once the browser tells what it keeps', 1],
  ])('e17 knows nothing of the login of the first one, %s', async (_, failures) => {
    const kept = keptHere()
    const page = await follows(kept)
    const ended = vi.fn()
    page.onLoginEnd(ended)
    Object.assign(page.server, accounts.as('bob'))
    const reads = vi.spyOn(kept, 'readOpener')
    for (let times = 0; times < failures; times += 1) reads.mockImplementationOnce(noAnswer)
    for (let times = 0; times < failures; times += 1)
      await expect(page.enterVault('bob', false)).rejects.toThrow()
    expect(await page.enterVault('bob', false)).toEqual({ is: 'none' })
    expect(ended).toHaveBeenCalledOnce()
    expect([await page.hasStretched(), await page.isFor(BEAM, false)]).toEqual([false, false])
  })

  it('e17 lets the second one set up a vault', async () => {
    const page = await follows(keptHere())
    Object.assign(page.server, accounts.as('bob'))
    expect(await page.enterVault('bob', false)).toEqual({ is: 'none' })
    await page.beginVault()
    expect(await page.createVault('the old one', 'correct horse')).toBe('done')
  })
})

it('e17 a vault that is locked on a page is open there once another page has opened it by its words', async () => {
  const { words } = await withVault('ada')
  const { vault } = accounts.all.get('ada') ?? {}
  if (!vault) throw new Error('There is no vault.')
  accounts.all.set('ada', { password: 'given', vault: { ...vault, by_password: null } })
  const kept = keptHere()
  const [page, other] = [device('ada', kept), device('ada', kept)]
  for (const one of [page, other]) expect((await one.enterVault('ada', true)).is).toBe('locked')
  expect(await other.recoverVault(words, 'given', 'battery staple')).toBe('done')
  expect((await page.enterVault('ada', true)).is).toBe('open')
})

describe('a username that another device has changed', () => {
  const renames = () => {
    const account = accounts.all.get('ada')
    if (account) accounts.all.set('ada.l', account)
    accounts.all.delete('ada')
  }
  /** A device on which the vault was opened. */
  const opened = async () => {
    const kept = keptHere()
    await leftAtOnce(kept)
    await device('ada', kept).enterVault('ada', false)
    return kept
  }

  it('e17 leaves the vault open on the later pages of a device, whose login goes on', async () => {
    await withVault('ada')
    const kept = await opened()
    renames()
    expect((await device('ada.l', kept).enterVault('ada.l', false)).is).toBe('open')
    expect(await kept.read('ada.l')).not.toBeNull()
  })

  it('e17 is not believed where the server does not show the vault', async () => {
    await withVault('ada')
    const kept = await opened()
    for (const read of [noAnswer, async () => null]) {
      const page = pageVault({ ...accounts.as('ada'), read }, kept)
      await page.enterVault('ada.l', false)
      expect(await page.isOpen()).toBe(false)
    }
  })

  it('e17 is not that of another person, who has logged in since', async () => {
    await withVault('ada')
    const kept = await opened()
    const ada = accounts.all.get('ada')?.vault ?? null
    const page = device('bob', kept)
    await page.loggedInAsTyped('bob')
    accounts.all.set('bob', { password: 'given', vault: ada && { ...ada, by_password: null } })
    for (const later of [page, device('bob', kept)])
      expect((await later.enterVault('bob', true)).is).toBe('locked')
  })
})

it('e16 the part for the login says nothing of the part for the vault', async () => {
  const { keeper } = await withVault('ada')
  const stored = accounts.all.get('ada')
  expect(await keeper.isOpen()).toBe(true)
  const login = stored?.password ?? ''
  const bytes = new TextEncoder().encode(login).slice(0, 32)
  const { vault } = stored ?? {}
  const opened = await Vault.unwrap(vault?.by_password ?? '', bytes, 'password', vault?.public_key ?? '')
  expect([opened, login === toBase64Url(bytes)]).toEqual([null, false])
})
