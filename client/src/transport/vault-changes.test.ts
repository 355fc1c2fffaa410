/** The vault of an account is set up, opened by its words and given other passwords, and a server wants to know these. */
import { beforeEach, describe, expect, it } from 'vitest'
import { Vault } from '../crypto/vault'
import type { Vault as StoredVault } from '../protocol/bindings'
import { Refused, type VaultServer } from './vault-calls'
import {
  accounts,
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

describe('the vault of an account', () => {
  it('e17 is not made with a wrong password', async () => {
    const keeper = device('ada')
    await keeper.enterVault('ada', false)
    await keeper.beginVault()
    expect(await keeper.createVault('a guess', 'correct horse')).toBe('wrong-password')
    expect(accounts.all.get('ada')?.vault).toBeNull()
  })

  it('e17 is the same one after the password has changed', async () => {
    const { keeper } = await withVault('ada')
    const before = accounts.all.get('ada')?.vault
    expect(await keeper.changePassword('a guess', 'battery staple')).toBe('wrong-password')
    expect(await keeper.changePassword('correct horse', 'battery staple')).toBe('done')
    expect(accounts.all.get('ada')?.vault?.public_key).toBe(before?.public_key)
    expect((await logsIn('ada', 'correct horse')).isIn).toBe(false)
    expect((await logsIn('ada', 'battery staple')).state?.is).toBe('open')
  })

  it('e17 is opened by its words once the operator has replaced the password', async () => {
    const { words } = await withVault('ada')
    const { vault } = accounts.all.get('ada') ?? {}
    if (!vault) throw new Error('There is no vault.')
    accounts.all.set('ada', { password: 'from the operator', vault: { ...vault, by_password: null } })
    const keeper = device('ada')
    expect(await keeper.enterVault('ada', false)).toEqual({ is: 'locked', needsWords: true })
    expect(await keeper.recoverVault('zoo '.repeat(12), 'from the operator', 'new one')).toBe('wrong-words')
    expect(await keeper.recoverVault(words, 'from the operator', 'new one')).toBe('done')
    expect((await logsIn('ada', 'new one')).state?.is).toBe('open')
  })
})

it('e17 a vault that was begun in a worker that is gone cannot be finished with its words, if it was not stored', async () => {
  const begins = device('ada')
  await begins.enterVault('ada', false)
  await begins.beginVault()
  const later = device('ada')
  await later.enterVault('ada', false)
  expect(await later.createVault('the old one', 'correct horse')).toBe('words-lost')
  expect(await begins.createVault('the old one', 'correct horse')).toBe('done')
  await later.enterVault('ada', false)
  expect(await later.createVault('correct horse', 'another')).toBe('failed')
})

describe('a change of the vault whose answer is lost', () => {
  /** Takes everything that is sent, and does not say so. @param fails how many of the looks after that have no answer either */
  const silent = (fails: number): VaultServer => {
    const real = accounts.as('ada')
    let left = 0
    return {
      ...real,
      read: () => (left-- > 0 ? noAnswer() : real.read()),
      write: async (change) => {
        await real.write(change)
        left = fails
        return noAnswer()
      },
    }
  }
  const changes: readonly [string, (page: PageVault, words: string, fresh: string) => Promise<unknown>][] = [
    ['was just set up', (page, _, fresh) => page.createVault('the old one', fresh)],
    ['got another password', (page, _, fresh) => page.changePassword('correct horse', fresh)],
    ['was opened by its words', (page, words, fresh) => page.recoverVault(words, 'given', fresh)],
  ]
  /** A page on which the vault is about to be changed so, and what an earlier page has left there. */
  const about = async (change: string, fails: number) => {
    const kept = keptHere()
    if (change === 'was just set up') {
      const page = pageVault(silent(fails), kept)
      await page.enterVault('ada', false)
      return { page, kept, words: (await page.beginVault()).join(' ') }
    }
    const { words } = await withVault('ada')
    const { vault } = accounts.all.get('ada') ?? {}
    if (vault && change === 'was opened by its words')
      accounts.all.set('ada', { password: 'given', vault: { ...vault, by_password: null } })
    const page = pageVault(silent(fails), kept)
    await page.enterVault('ada', true)
    return { page, kept, words }
  }

  it.each(changes)('e17 is known to be taken, where it %s', async (name, change) => {
    const { page, kept, words } = await about(name, 0)
    expect(await change(page, words, 'new one')).toBe('done')
    expect([await page.isOpen(), await kept.isStretched()]).toEqual([true, true])
    expect((await logsIn('ada', 'new one')).state?.is).toBe('open')
  })

  it.each(changes)(
    'e17 is known to be taken when the person tries again, where it %s',
    async (name, change) => {
      const { page, kept, words } = await about(name, 1)
      expect(await change(page, words, 'new one')).toBe('failed')
      expect(await change(page, words, 'new one')).toBe('done')
      expect([await page.isOpen(), await kept.isStretched()]).toEqual([true, true])
    },
  )

  it.each(changes)('e17 is followed by the one with another password, where it %s', async (name, change) => {
    const { page, words } = await about(name, 1)
    await change(page, words, 'new one')
    expect(await change(page, words, 'quite another')).toBe('failed')
    expect(await change(page, words, 'quite another')).toBe('done')
    expect((await logsIn('ada', 'quite another')).state?.is).toBe('open')
  })

  it('e17 is followed by no other one whose person does not know the password', async () => {
    const { page } = await about('got another password', 1)
    await page.changePassword('correct horse', 'new one')
    expect(await page.changePassword('a guess', 'quite another')).toBe('wrong-password')
  })
})

describe('a vault that nobody can open any more', () => {
  const resets = (username: string) => {
    const account = accounts.all.get(username)
    if (!account?.vault) throw new Error('There is no vault.')
    const vault = { ...account.vault, by_password: null, version: account.vault.version + 1 }
    accounts.all.set(username, { password: 'from the operator', vault })
  }
  const begins = async (keeper: PageVault) => {
    await keeper.beginVault()
    return keeper.createVault('from the operator', 'quite another')
  }

  it('e17 is followed by a new one once the operator has replaced the password', async () => {
    await withVault('ada')
    const before = accounts.all.get('ada')?.vault?.public_key
    resets('ada')
    const keeper = device('ada')
    await keeper.enterVault('ada', true)
    expect(await begins(keeper)).toBe('done')
    expect(accounts.all.get('ada')?.vault?.public_key).not.toBe(before)
    expect((await logsIn('ada', 'quite another')).state?.is).toBe('open')
  })

  it('e17 is not replaced, nor anything sent, while its password opens it', async () => {
    await withVault('ada')
    const sent: string[] = []
    const server = { ...accounts.as('ada'), write: async () => void sent.push('password') }
    const keeper = pageVault(server)
    await keeper.enterVault('ada', true)
    expect(await begins(keeper)).toBe('failed')
    expect(sent).toEqual([])
  })

  it.each([
    ['denies it', (): StoredVault | null => null],
    [
      'says that the password was replaced',
      (): StoredVault | null => {
        const vault = accounts.all.get('ada')?.vault
        return vault ? { ...vault, by_password: null } : null
      },
    ],
  ])(
    'e17 takes no password from a person who has just logged in by it, where the server %s',
    async (_, said) => {
      const { words } = await withVault('ada')
      const sent: string[] = []
      const server = {
        ...accounts.as('ada'),
        read: async () => said(),
        write: async () => void sent.push('password'),
      }
      const kept = keptHere()
      await leftAtOnce(kept)
      for (const page of [pageVault(server, kept), pageVault(server, kept)]) {
        expect(await page.enterVault('ada', true)).toEqual({ is: 'locked', needsWords: false })
        expect(await begins(page)).toBe('failed')
        expect(await page.recoverVault(words, 'correct horse', 'another')).toBe('failed')
      }
      expect(sent).toEqual([])
    },
  )
})

describe('a vault that is open here when the operator replaces the password', () => {
  /** Its login has ended while no page was open. */
  const reset = async (kept: KeptVaults) => {
    const { keeper, words } = await withVault('ada')
    await leftAtOnce(kept)
    await device('ada', kept).enterVault('ada', true)
    const { vault } = accounts.all.get('ada') ?? {}
    if (!vault) throw new Error('There is no vault.')
    accounts.all.set('ada', { password: 'given', vault: { ...vault, by_password: null } })
    return { keeper, words }
  }

  it('e17 is sealed under a new one by who has logged in with the one from the operator', async () => {
    const kept = keptHere()
    const { words } = await reset(kept)
    const page = device('ada', kept)
    await page.loggedInAsTyped('ada')
    const state = await page.enterVault('ada', true)
    expect(state.is).toBe('open')
    expect(await page.changePassword('a guess', 'new one')).toBe('wrong-password')
    expect(await page.changePassword('given', 'new one')).toBe('done')
    expect((await logsIn('ada', 'new one')).state).toEqual(state)
    // The words stay those of the vault.
    const { vault } = accounts.all.get('ada') ?? {}
    if (vault) accounts.all.set('ada', { password: 'given', vault: { ...vault, by_password: null } })
    expect(await device('ada').recoverVault(words, 'given', 'newer')).toBe('done')
  })

  it.each([
    ['whose login is by the password of the vault', async () => {}],
    [
      'that has another vault open',
      async (page: PageVault, kept: KeptVaults) => {
        await page.loggedInAsTyped('ada')
        await kept.write('ada', (await Vault.make()).secret)
      },
    ],
  ])('e17 sends no password from a page %s', async (_, before) => {
    const [kept, sent] = [keptHere(), [] as string[]]
    await reset(kept)
    const server = {
      ...accounts.as('ada'),
      write: async ({ password }: { password: string }) => void sent.push(password),
    }
    const page = pageVault(server, kept)
    await before(page, kept)
    await page.enterVault('ada', true)
    expect([await page.changePassword('correct horse', 'new one'), sent]).toEqual(['failed', []])
  })
})

describe('a password that was chosen for a vault', () => {
  const setsUp = async (page: PageVault, password: string) => {
    await page.beginVault()
    return page.createVault(password, 'correct horse')
  }
  /** A server that hears what is sent as the password, and says afterwards that there is no vault. */
  const lying = (sent: string[]): VaultServer => ({
    ...accounts.as('ada'),
    read: async () => null,
    write: async ({ password }) => {
      sent.push(password)
      throw new Refused(400)
    },
  })

  it('e17 is not sent from a page that was open when another one set up the vault, and where the server denies it', async () => {
    const sent: string[] = []
    const kept = { ...keptHere(), isStretched: async () => false }
    const second = pageVault(lying(sent), kept)
    expect(await second.enterVault('ada', false)).toEqual({ is: 'none' })
    const first = device('ada', kept)
    await first.enterVault('ada', false)
    expect(await setsUp(first, 'the old one')).toBe('done')
    expect([await setsUp(second, 'correct horse'), sent]).toEqual(['failed', []])
  })

  it('e17 is not sent where the server has refused the one before it, which the person then takes for replaced', async () => {
    const sent: string[] = []
    const page = pageVault(lying(sent))
    await page.enterVault('ada', false)
    for (const password of ['the old one', 'correct horse'])
      expect(await setsUp(page, password)).toBe('wrong-password')
    expect(sent).toEqual(['the old one'])
  })

  it('e17 may be the one that the person has logged in with since, as it was typed', async () => {
    const page = device('ada')
    await page.enterVault('ada', false)
    expect(await setsUp(page, 'a guess')).toBe('wrong-password')
    accounts.all.set('ada', { password: 'correct horse', vault: null })
    await page.loggedInAsTyped('ada')
    await page.enterVault('ada', false)
    await page.beginVault()
    expect(await page.createVault('correct horse', 'another')).toBe('done')
  })
})

describe('a vault that was open here, which the server says the operator has reset', () => {
  /** The server claims it, of another vault, and hears every password that is sent. */
  const lying = (sent: string[]): VaultServer => ({
    ...accounts.as('ada'),
    read: async () => {
      const vault = accounts.all.get('ada')?.vault
      return vault ? { ...vault, by_password: null, public_key: (await Vault.make()).publicKey } : null
    },
    write: async ({ password }) => void sent.push(password),
  })
  const setUp = async (kept: KeptVaults) => {
    const keeper = device('ada', kept)
    await keeper.enterVault('ada', false)
    const words = (await keeper.beginVault()).join(' ')
    await keeper.createVault('the old one', 'correct horse')
    return { keeper, words }
  }

  it.each([
    ['was just set up', async () => {}],
    [
      'was just given another password',
      (keeper: PageVault) => keeper.changePassword('correct horse', 'battery staple'),
    ],
    [
      'was opened by the login',
      async (keeper: PageVault, kept: KeptVaults) => {
        await keeper.leaveVault()
        await leftAtOnce(kept)
        await device('ada', kept).enterVault('ada', true)
      },
    ],
  ])('e17 takes no password from a later page, where it %s', async (_, before) => {
    const [kept, sent] = [keptHere(), [] as string[]]
    const { keeper, words } = await setUp(kept)
    await before(keeper, kept)
    const page = pageVault(lying(sent), kept)
    expect(await page.enterVault('ada', true)).toEqual({ is: 'locked', needsWords: false })
    await page.beginVault()
    expect(await page.createVault('correct horse', 'another')).toBe('failed')
    expect(await page.recoverVault(words, 'correct horse', 'another')).toBe('failed')
    expect(sent).toEqual([])
  })

  it('e17 is opened by its words once the person has logged in with the password from the operator', async () => {
    const kept = keptHere()
    const { words } = await setUp(kept)
    const { vault } = accounts.all.get('ada') ?? {}
    if (!vault) throw new Error('There is no vault.')
    accounts.all.set('ada', { password: 'given', vault: { ...vault, by_password: null } })
    // The secret is gone, and of the login before the rest is left.
    const page = device('ada', { ...kept, read: async () => null })
    await page.loggedInAsTyped('ada')
    expect(await page.enterVault('ada', true)).toEqual({ is: 'locked', needsWords: true })
    expect(await page.recoverVault(words, 'given', 'new one')).toBe('done')
  })
})
