import { beforeEach, describe, expect, it } from 'vitest'
import { toBase64Url } from '../crypto/bytes'
import { type OwnState, Vault } from '../crypto/vault'
import type { BeamId, Vault as StoredVault } from '../protocol/bindings'
import type { KnownPlace } from './own-vault'
import { Refused, type VaultServer } from './vault-calls'
import { type KeptVaults, VaultKeeper } from './vault-keeper'
import { Accounts, BEAM, keptHere, quick } from './vault-stage'

const OTHER = '1b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
const STATE: OwnState = {
  keys: ['K'],
  current: 'kid',
  invite: 'I',
  hasLetIn: true,
  isDeposited: false,
  isVaulted: true,
  changes: [1, 1],
  devices: {},
  removed: [],
  unverified: [],
  tag: 'tag',
}
/** What a device knows whose person has saved the beam, and one that has its keys from a deposit. */
const MINE = { isMine: true, maySend: true, isVaulted: false }
const OF_OTHERS = { isMine: false, maySend: true, isVaulted: false }

/** The person compares the fingerprint of another one, and lets them open the beam. */
async function trusts(keeper: VaultKeeper, username: string): Promise<boolean> {
  const person = (await keeper.peopleOf(BEAM)).find((one) => one.username === username)
  return keeper.trust(BEAM, username, person?.fingerprint ?? '')
}

const writes = (keeper: VaultKeeper, state = STATE, known: KnownPlace = MINE) =>
  keeper.write(BEAM, known, async () => ({ is: 'state', state }))

const noAnswer = () => Promise.reject(new Error('no answer'))

let accounts: Accounts

const device = (name: string, kept = keptHere()) => new VaultKeeper(accounts.as(name), kept, quick)

async function withVault(name: string) {
  const keeper = device(name)
  await keeper.enterVault(name, false)
  const words = await keeper.beginVault()
  expect(await keeper.createVault('the old one', 'correct horse')).toBe('done')
  return { keeper, words: words.join(' ') }
}

/** Logs in on another device. */
async function logsIn(name: string, password: string) {
  const keeper = device(name)
  const stretch = accounts.all.get(name)?.vault?.stretch
  if (!stretch) throw new Error('There is no vault.')
  const sent = await keeper.prove(password, stretch)
  const isIn = sent === accounts.all.get(name)?.password
  if (isIn) await keeper.keepOpener()
  return { keeper, isIn, state: isIn ? await keeper.enterVault(name, false) : null }
}

/** The password was taken, and the page is left before it has opened the vault. */
async function leftAtOnce(kept: KeptVaults): Promise<void> {
  const { stretch } = accounts.all.get('ada')?.vault ?? {}
  const page = device('ada', kept)
  if (stretch) await page.prove('correct horse', stretch)
  await page.keepOpener()
}

beforeEach(() => {
  accounts = new Accounts()
  for (const name of ['ada', 'bob']) accounts.all.set(name, { password: 'the old one', vault: null })
})

describe('a vault', () => {
  it('e17 is opened on another device by the password, of which the server has only one part', async () => {
    await withVault('ada')
    const { isIn, state } = await logsIn('ada', 'correct horse')
    expect([isIn, state?.is]).toEqual([true, 'open'])
    expect(JSON.stringify(accounts.all.get('ada'))).not.toContain('correct horse')
    expect((await logsIn('ada', 'a guess')).isIn).toBe(false)
  })

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

describe('a vault that nobody can open any more', () => {
  const resets = (username: string) => {
    const account = accounts.all.get(username)
    if (!account?.vault) throw new Error('There is no vault.')
    const vault = { ...account.vault, by_password: null, version: account.vault.version + 1 }
    accounts.all.set(username, { password: 'from the operator', vault })
  }
  const begins = async (keeper: VaultKeeper) => {
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
    const keeper = new VaultKeeper(server, keptHere(), quick)
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
      for (const page of [new VaultKeeper(server, kept, quick), new VaultKeeper(server, kept, quick)]) {
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
    await page.loggedInAsTyped()
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
      async (page: VaultKeeper, kept: KeptVaults) => {
        await page.loggedInAsTyped()
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
    const page = new VaultKeeper(server, kept, quick)
    await before(page, kept)
    await page.enterVault('ada', true)
    expect([await page.changePassword('correct horse', 'new one'), sent]).toEqual(['failed', []])
  })
})

describe('an account that was made anew under the name of one with a vault', () => {
  const kept = keptHere()
  beforeEach(() => kept.write('ada', new Uint8Array(32).fill(7)))

  it('e17 has none on a device that knew it, after a login by a password as it was typed', async () => {
    const page = device('ada', kept)
    await page.loggedInAsTyped()
    expect(await page.enterVault('ada', true)).toEqual({ is: 'none' })
    expect([await kept.read('ada'), await page.isOpen()]).toEqual([null, false])
    await page.beginVault()
    expect(await page.createVault('the old one', 'correct horse')).toBe('done')
  })

  it.each([
    ['without a login', async (_: VaultKeeper) => {}],
    ['after a login by a part of a password', (page: VaultKeeper) => page.keepOpener()],
    [
      'after the server has told of one since the login',
      async (page: VaultKeeper) => {
        await page.loggedInAsTyped()
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

describe('a password that was chosen for a vault', () => {
  const setsUp = async (page: VaultKeeper, password: string) => {
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
    const second = new VaultKeeper(lying(sent), kept, quick)
    expect(await second.enterVault('ada', false)).toEqual({ is: 'none' })
    const first = device('ada', kept)
    await first.enterVault('ada', false)
    expect(await setsUp(first, 'the old one')).toBe('done')
    expect([await setsUp(second, 'correct horse'), sent]).toEqual(['failed', []])
  })

  it('e17 is not sent where the server has refused the one before it, which the person then takes for replaced', async () => {
    const sent: string[] = []
    const page = new VaultKeeper(lying(sent), keptHere(), quick)
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
    await page.loggedInAsTyped()
    await page.enterVault('ada', false)
    await page.beginVault()
    expect(await page.createVault('correct horse', 'another')).toBe('done')
  })
})

it.each(['at once', 'when the person tries again'])(
  'e17 a vault whose server has taken it without a word is set up %s',
  async (when) => {
    const real = accounts.as('ada')
    let reads = 0
    const server: VaultServer = {
      ...real,
      // The second look is the one after it was sent.
      read: () => (++reads > 2 && when !== 'at once' && reads < 4 ? noAnswer() : real.read()),
      write: async (change) => {
        await real.write(change)
        return noAnswer()
      },
    }
    const keeper = new VaultKeeper(server, keptHere(), quick)
    await keeper.enterVault('ada', false)
    await keeper.beginVault()
    const create = () => keeper.createVault('the old one', 'correct horse')
    if (when !== 'at once') expect(await create()).toBe('failed')
    expect(await create()).toBe('done')
    expect((await logsIn('ada', 'correct horse')).state?.is).toBe('open')
  },
)

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
      (keeper: VaultKeeper) => keeper.changePassword('correct horse', 'battery staple'),
    ],
    [
      'was opened by the login',
      async (keeper: VaultKeeper, kept: KeptVaults) => {
        await keeper.leaveVault()
        await leftAtOnce(kept)
        await device('ada', kept).enterVault('ada', true)
      },
    ],
  ])('e17 takes no password from a later page, where it %s', async (_, before) => {
    const [kept, sent] = [keptHere(), [] as string[]]
    const { keeper, words } = await setUp(kept)
    await before(keeper, kept)
    const page = new VaultKeeper(lying(sent), kept, quick)
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
    await page.loggedInAsTyped()
    expect(await page.enterVault('ada', true)).toEqual({ is: 'locked', needsWords: true })
    expect(await page.recoverVault(words, 'given', 'new one')).toBe('done')
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
    const unreachable = await new VaultKeeper(away, kept, quick).enterVault('ada', true)
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
        return new VaultKeeper({ ...accounts.as('ada'), read: noAnswer }, kept, quick)
      },
    ],
    [
      'a password as it was typed',
      async (kept: KeptVaults) => {
        const page = new VaultKeeper({ ...accounts.as('ada'), read: noAnswer }, kept, quick)
        await page.loggedInAsTyped()
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
    await new VaultKeeper(away, kept, quick).enterVault('ada', true)
    const state = await device('ada', kept).enterVault('ada', true)
    expect(state).toEqual((await logsIn('ada', 'correct horse')).state)
  })

  it('e17 stays open where the server does not tell for a while', async () => {
    await withVault('ada')
    const kept = keptHere()
    await leftAtOnce(kept)
    await device('ada', kept).enterVault('ada', true)
    const page = new VaultKeeper({ ...accounts.as('ada'), read: noAnswer }, kept, quick)
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
    ['what an earlier page has kept', (first: VaultKeeper) => first.enterVault('ada', false)],
  ])('e17 leaves nothing of a vault that is just being opened by %s', async (_, before) => {
    await withVault('ada')
    const kept = keptHere()
    await leftAtOnce(kept)
    await before(device('ada', kept))
    const { server, answer, asked } = slow(accounts.as('ada'))
    const keeper = new VaultKeeper(server, kept, quick)
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
    const keeper = new VaultKeeper(server, kept, quick)
    const changing = keeper.changePassword('correct horse', 'battery staple')
    await keeper.leaveVault()
    answer()
    await changing
    const left = [await keeper.isOpen(), await kept.read('ada'), await kept.isStretched()]
    expect(left).toEqual([false, null, false])
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
    const keeper = new VaultKeeper(accounts.as('ada'), { ...kept, clear, read }, quick)
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

it('e17 a vault stays open when its account gets another username', async () => {
  const { keeper } = await withVault('ada')
  expect((await keeper.enterVault('ada.l', false)).is).toBe('open')
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
      const page = new VaultKeeper({ ...accounts.as('ada'), read }, kept, quick)
      await page.enterVault('ada.l', false)
      expect(await page.isOpen()).toBe(false)
    }
  })

  it('e17 is not that of another person, who has logged in since', async () => {
    await withVault('ada')
    const kept = await opened()
    const ada = accounts.all.get('ada')?.vault ?? null
    const page = device('bob', kept)
    await page.loggedInAsTyped()
    accounts.all.set('bob', { password: 'given', vault: ada && { ...ada, by_password: null } })
    for (const later of [page, device('bob', kept)])
      expect((await later.enterVault('bob', true)).is).toBe('locked')
  })

  it('e18 is found by the public key, where keys are sealed from a page that does not know it', async () => {
    const [{ keeper }] = [await withVault('ada'), await withVault('bob')]
    const read = accounts.as('ada').readKeys
    keeper.server.readKeys = async (beam) => {
      const there = await read(beam)
      const people = there.people.map((one) => (one.username === 'ada' ? { ...one, username: 'ada.l' } : one))
      return { ...there, people }
    }
    expect((await keeper.peopleOf(BEAM)).map(({ username }) => username)).toEqual(['bob'])
    expect((await writes(keeper)).go).toBe('into-vaults')
    expect(accounts.beam.keys.map(({ username }) => username)).toEqual(['ada.l'])
  })
})

describe('the keys of a saved beam', () => {
  /** Another device of Ada's. */
  const elsewhere = async () => (await logsIn('ada', 'correct horse')).keeper
  const keysIn = async (keeper: VaultKeeper) => {
    const found = await keeper.read(BEAM, false)
    return found && (found.is === 'own' ? found.entry : found.keys).keys
  }
  const receivers = () => accounts.beam.keys.map(({ username }) => username)

  it('e18 are sealed to their owner, and open on another device', async () => {
    const { keeper } = await withVault('ada')
    const vault = accounts.all.get('ada')?.vault?.public_key
    expect(await writes(keeper)).toEqual({ go: 'into-vaults', vault, tag: STATE.tag })
    expect(await (await elsewhere()).read(BEAM, true)).toEqual({
      is: 'own',
      entry: { ...STATE, people: [] },
      vault,
    })
    expect(await (await elsewhere()).howKept()).toEqual({ [BEAM]: 'sealed' })
  })

  it('e18 are merged with what lies in the vault, also when another device has written at the same time', async () => {
    const { keeper } = await withVault('ada')
    await writes(keeper)
    const found: (readonly string[] | undefined)[] = []
    await keeper.write(BEAM, MINE, async (there) => {
      found.push(there?.keys)
      if (found.length === 1) await writes(await elsewhere(), { ...STATE, keys: ['K', 'K2'] })
      return { is: 'state', state: { ...STATE, keys: [...(there?.keys ?? []), 'K3'] } }
    })
    expect(found).toEqual([['K'], ['K', 'K2']])
    expect(await keysIn(keeper)).toEqual(['K', 'K2', 'K3'])
  })

  it.each(['exposed', 'other'] as const)(
    'e18 are not written where what there is to write is %s',
    async (is) => {
      const { keeper } = await withVault('ada')
      await writes(keeper)
      const { go } = await keeper.write(BEAM, MINE, async () => ({ is }))
      expect([go, accounts.beam.version]).toEqual([is === 'exposed' ? 'exposed' : 'nowhere', 1])
    },
  )

  it('e18 do not take the place of what this account has sealed there and this client cannot read', async () => {
    const { keeper } = await withVault('ada')
    const newer = { ...STATE, people: [], changes: 'in another form' }
    await keeper.write(BEAM, MINE, async () => ({ is: 'state', state: newer as unknown as OwnState }))
    const there = accounts.beam
    const found: unknown[] = []
    const { go } = await keeper.write(BEAM, MINE, async (before) => {
      found.push(before)
      return { is: 'state', state: STATE }
    })
    expect([go, found, accounts.beam]).toEqual(['nowhere', [], there])
  })

  it('e18 are not said to be readable by the server where they are sealed to a vault that was lost', async () => {
    const { keeper } = await withVault('ada')
    await writes(keeper)
    const account = accounts.all.get('ada')
    if (account) accounts.all.set('ada', { ...account, password: 'the old one', vault: null })
    const { keeper: later } = await withVault('ada')
    await later.ownBeams([BEAM])
    expect(await later.howKept()).toEqual({ [BEAM]: 'not-in-vault' })
  })

  it('e18 are written again only where they, or who is to have them, have changed', async () => {
    const [{ keeper }] = [await withVault('ada'), await withVault('bob')]
    const versions: number[] = []
    const write = async (state = STATE) => {
      await writes(keeper, state)
      versions.push(accounts.beam.version)
    }
    const newer = { ...STATE, keys: ['K', 'K2'] }
    await write()
    await write()
    await write(newer)
    await trusts(keeper, 'bob')
    await write(newer)
    await write(newer)
    accounts.all.delete('bob')
    await write(newer)
    expect(versions).toEqual([1, 1, 2, 3, 3, 4])
  })

  it('e18 come to nobody but those to whom the owner hands them', async () => {
    const [{ keeper: ada }, { keeper: bob }] = [await withVault('ada'), await withVault('bob')]
    await writes(ada)
    expect(await keysIn(bob)).toBeNull()
    expect((await ada.peopleOf(BEAM)).map(({ hasKeys }) => hasKeys)).toEqual([false])
    await trusts(ada, 'bob')
    await writes(ada)
    expect(await keysIn(bob)).toEqual(STATE.keys)
    // Also the next keys, which another device of the owner makes.
    await writes(await elsewhere(), { ...STATE, keys: ['K', 'newer'] })
    expect(await keysIn(bob)).toEqual(['K', 'newer'])
  })

  it('e18 come to nobody whose vault is not the one that was compared', async () => {
    const [{ keeper: ada }] = [await withVault('ada'), await withVault('bob')]
    const shown = (await ada.peopleOf(BEAM))[0]?.fingerprint ?? ''
    const bob = accounts.all.get('bob')
    const { publicKey } = await Vault.make()
    if (bob?.vault) bob.vault = { ...bob.vault, public_key: publicKey }
    expect(await ada.trust(BEAM, 'bob', shown)).toBe(false)
    await writes(ada)
    expect(receivers()).toEqual(['ada'])
  })

  it('e18 still come to a person who has another username now', async () => {
    const [{ keeper: ada }, { keeper: bob }] = [await withVault('ada'), await withVault('bob')]
    await trusts(ada, 'bob')
    await writes(ada)
    const account = accounts.all.get('bob')
    if (account) accounts.all.set('robert', account)
    accounts.all.delete('bob')
    await writes(ada)
    expect(receivers()).toEqual(['ada', 'robert'])
    expect((await ada.peopleOf(BEAM)).map(({ hasKeys }) => hasKeys)).toEqual([true])
    expect(await bob.isOpen()).toBe(true)
  })

  it('e18 do not go to another vault that the server shows under the name of somebody who had them', async () => {
    const [{ keeper: ada }] = [await withVault('ada'), await withVault('bob')]
    await trusts(ada, 'bob')
    await writes(ada)
    const bob = accounts.all.get('bob')
    const { publicKey } = await Vault.make()
    if (bob?.vault) bob.vault = { ...bob.vault, public_key: publicKey }
    await writes(ada)
    expect(receivers()).toEqual(['ada'])
    expect((await ada.peopleOf(BEAM)).find(({ username }) => username === 'bob')?.hasKeys).toBe(false)
  })

  describe('that the server has made', () => {
    const forged = async () => {
      const [{ keeper: ada }, server] = [await withVault('ada'), await Vault.make()]
      accounts.all.set('mallory', {
        password: '',
        vault: { ...(accounts.all.get('ada')?.vault as StoredVault), public_key: server.publicKey },
      })
      const own = accounts.all.get('ada')?.vault?.public_key ?? ''
      // As an owner seals to itself, but by another pair.
      const content = { ...STATE, people: [server.publicKey] }
      const keys = await server.seal(own, content)
      accounts.beam = { version: 1, keys: [{ username: 'ada', to: own, keys }] }
      return ada
    }

    it('e18 send those of now to nobody', async () => {
      const ada = await forged()
      await writes(ada)
      expect(receivers()).toEqual(['ada'])
    })

    it('e18 are not those of an own beam, and do not say that the server cannot read it', async () => {
      const ada = await forged()
      expect([(await ada.read(BEAM, false))?.is, await ada.howKept()]).toEqual([
        'handed',
        { [BEAM]: 'sealed' },
      ])
      await ada.ownBeams([BEAM])
      expect([await ada.read(BEAM, false), await ada.howKept()]).toEqual([null, { [BEAM]: 'not-in-vault' }])
    })

    it('e18 are not taken by who has saved the beam', async () => {
      expect(await (await forged()).read(BEAM, true)).toBeNull()
    })
  })

  describe('whose owner has a vault', () => {
    /** The server says that the beam is not this person's, and that its keys are in no vault. */
    async function denied() {
      await withVault('ada')
      const server = { ...accounts.as('ada'), readKeys: async () => ({ version: 0, keys: null, people: [] }) }
      const keeper = new VaultKeeper(server, keptHere(), quick)
      const stretch = accounts.all.get('ada')?.vault?.stretch
      if (stretch) await keeper.prove('correct horse', stretch)
      await keeper.keepOpener()
      await keeper.enterVault('ada', false)
      return keeper
    }
    const goes = async (keeper: VaultKeeper, known: KnownPlace) => (await writes(keeper, STATE, known)).go

    it.each([
      ['has saved it', MINE],
      ['found them in vaults', { isMine: false, maySend: true, isVaulted: true }],
    ])('e18 go nowhere as they are from a device that %s, whatever the server says', async (_, known) => {
      expect(await goes(await denied(), known)).toBe('nowhere')
    })

    it("e18 go nowhere as they are where the page lists the beam as the person's own", async () => {
      const keeper = await denied()
      expect(await goes(keeper, OF_OTHERS)).toBe('to-server')
      await keeper.ownBeams([BEAM])
      expect(await goes(keeper, OF_OTHERS)).toBe('nowhere')
      expect([await keeper.isFor(BEAM, false), await keeper.isFor(OTHER, false)]).toEqual([true, false])
    })

    it('e18 go nowhere as they are from a device that knows of a vault, whatever the server says', async () => {
      const blind: VaultServer = { ...accounts.as('ada'), read: async () => null }
      const keeper = new VaultKeeper(blind, keptHere(), quick)
      await keeper.enterVault('ada', true)
      expect(await goes(keeper, MINE)).toBe('nowhere')
    })

    it('e18 go into it from a page that was open when another one made it', async () => {
      const kept = keptHere()
      const [first, second] = [device('ada', kept), device('ada', kept)]
      for (const page of [first, second]) await page.enterVault('ada', false)
      await first.beginVault()
      await first.createVault('the old one', 'correct horse')
      expect(await goes(second, MINE)).toBe('into-vaults')
    })
  })

  it('e18 of who has no vault go to the server, but not where they are in vaults of others', async () => {
    const without = device('bob')
    await without.enterVault('bob', false)
    for (const [known, go] of [
      [OF_OTHERS, 'to-server'],
      [{ ...OF_OTHERS, isVaulted: true }, 'nowhere'],
      [{ ...OF_OTHERS, maySend: false }, 'nowhere'],
    ] as const)
      expect(await writes(without, STATE, known)).toEqual({ go })
  })

  it.each([
    ['server', () => new VaultKeeper({ ...accounts.as('bob'), read: noAnswer }, keptHere(), quick)],
    ['browser', () => new VaultKeeper(accounts.as('bob'), { ...keptHere(), read: noAnswer }, quick)],
  ])('e18 wait where the %s does not tell whether there is a vault', async (_, made) => {
    const keeper = made()
    await keeper.enterVault('bob', true).catch(() => {})
    await expect(writes(keeper)).rejects.toThrow('It is not known')
  })

  it('e18 wait where nobody has said yet who is logged in', async () => {
    await expect(writes(device('bob'))).rejects.toThrow('It is not known')
  })

  it('e18 tell whether the server could ever read them', async () => {
    const { keeper } = await withVault('ada')
    await writes(keeper, { ...STATE, isDeposited: true })
    expect(await keeper.howKept()).toEqual({ [BEAM]: 'sealed-since' })
    const readable = new VaultKeeper(
      { ...accounts.as('ada'), listKeys: async () => [{ beam_id: BEAM, keys: null }] },
      keptHere(),
      quick,
    )
    expect(await readable.howKept()).toEqual({ [BEAM]: 'readable' })
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
