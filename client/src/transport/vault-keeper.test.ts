import { beforeEach, describe, expect, it } from 'vitest'
import { type Bytes, toBase64Url } from '../crypto/bytes'
import { Vault } from '../crypto/vault'
import type { BeamId, BeamVaultChange, Vault as StoredVault, VaultChange } from '../protocol/bindings'
import { Refused, type VaultServer } from './vault-calls'
import { type KeptVaults, VaultKeeper } from './vault-keeper'

const BEAM = '0b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
const KEYS = { keys: ['K'], current: 'kid', isDeposited: false }

/** What the real server does, for accounts that share one beam, which is of the first of them. */
class Accounts {
  readonly all = new Map<string, { password: string; vault: StoredVault | null }>()
  beam: BeamVaultChange = { version: 0, keys: [] }

  as(me: string): VaultServer {
    const own = () => this.all.get(me) ?? { password: '', vault: null }
    return {
      read: async () => own().vault,
      write: async ({ password, new_password, vault }: VaultChange) => {
        if (password !== own().password) throw new Refused(400)
        this.all.set(me, { password: new_password, vault })
      },
      readKeys: async () => ({
        version: this.beam.version,
        keys: this.beam.keys.find(({ username }) => username === me)?.keys ?? null,
        people: me === 'ada' ? this.people() : [],
      }),
      writeKeys: async (_, change) => {
        this.beam = change
      },
      listKeys: async () => [
        { beam_id: BEAM, keys: this.beam.keys.find(({ username }) => username === me)?.keys ?? null },
      ],
    }
  }

  people() {
    return [...this.all].map(([username, { vault }]) => ({
      username,
      public_key: vault?.public_key ?? null,
      has_keys: false,
    }))
  }
}

function keptHere(): KeptVaults {
  const kept = new Map<string, Bytes>()
  let opener: Bytes | null = null
  return {
    read: async (username) => kept.get(username) ?? null,
    write: async (username, secret) => void kept.set(username, secret),
    readOpener: async () => opener,
    writeOpener: async (part) => {
      opener = part
    },
    removeOpener: async () => {
      opener = null
    },
    clear: async () => {
      kept.clear()
      opener = null
    },
  }
}

const quick = async (password: Uint8Array, { salt }: { salt: Uint8Array }) =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array([...password, ...salt])))

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
    await first.enterVault('ada', false)
    expect((await device('ada', kept).enterVault('ada', false)).is).toBe('open')
    await first.leaveVault()
    expect((await device('ada', kept).enterVault('ada', false)).is).toBe('locked')
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

  it('e17 is opened later where the server does not tell at first', async () => {
    await withVault('ada')
    const kept = keptHere()
    await leftAtOnce(kept)
    const away: VaultServer = { ...accounts.as('ada'), read: () => Promise.reject(new Error('away')) }
    const unreachable = await new VaultKeeper(away, kept, quick).enterVault('ada', true)
    expect(unreachable).toEqual({ is: 'unknown' })
    expect((await device('ada', kept).enterVault('ada', true)).is).toBe('open')
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
    expect([await keeper.isOpen(), await kept.read('ada')]).toEqual([false, null])
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
    const entering = keeper.enterVault('ada', false)
    hasEnded()
    await leaving
    expect((await entering).is).toBe('open')
    expect(await kept.read('ada')).not.toBeNull()
  })
})

it('e17 a vault stays open when its account gets another username', async () => {
  const { keeper } = await withVault('ada')
  expect((await keeper.enterVault('ada.l', false)).is).toBe('open')
})

describe('the keys of a saved beam', () => {
  it('e18 are sealed to their owner, and open on another device', async () => {
    const { keeper } = await withVault('ada')
    expect(await keeper.write(BEAM, KEYS, false)).toBe('into-vaults')
    const elsewhere = (await logsIn('ada', 'correct horse')).keeper
    expect(await elsewhere.read(BEAM)).toMatchObject(KEYS)
    expect(await elsewhere.howKept()).toEqual({ [BEAM]: 'sealed' })
  })

  it('e18 come to nobody but those to whom the owner hands them', async () => {
    const [{ keeper: ada }, { keeper: bob }] = [await withVault('ada'), await withVault('bob')]
    await ada.write(BEAM, KEYS, false)
    expect(await bob.read(BEAM)).toBeNull()
    expect((await ada.peopleOf(BEAM)).map(({ hasKeys }) => hasKeys)).toEqual([false])
    await ada.trust(BEAM, 'bob')
    await ada.write(BEAM, KEYS, true)
    expect(await bob.read(BEAM)).toMatchObject(KEYS)
    // Also the next keys, which another device of the owner makes.
    const elsewhere = (await logsIn('ada', 'correct horse')).keeper
    await elsewhere.write(BEAM, { ...KEYS, keys: ['K', 'newer'] }, true)
    expect((await bob.read(BEAM))?.keys).toEqual(['K', 'newer'])
  })

  it('e18 do not go to another vault that the server shows under the name of somebody who had them', async () => {
    const [{ keeper: ada }] = [await withVault('ada'), await withVault('bob')]
    await ada.trust(BEAM, 'bob')
    await ada.write(BEAM, KEYS, false)
    const bob = accounts.all.get('bob')
    const { publicKey } = await Vault.make()
    if (bob?.vault) bob.vault = { ...bob.vault, public_key: publicKey }
    await ada.write(BEAM, KEYS, true)
    expect(accounts.beam.keys.map(({ username }) => username)).toEqual(['ada'])
    expect((await ada.peopleOf(BEAM)).find(({ username }) => username === 'bob')?.hasKeys).toBe(false)
  })

  it('e18 do not go to people whom the server names in keys of its own making', async () => {
    const { keeper: ada } = await withVault('ada')
    const server = await Vault.make()
    accounts.all.set('mallory', {
      password: '',
      vault: { ...(accounts.all.get('ada')?.vault as StoredVault), public_key: server.publicKey },
    })
    const own = accounts.all.get('ada')?.vault?.public_key ?? ''
    const forged = await server.seal(own, { ...KEYS, people: { mallory: server.publicKey } })
    accounts.beam = { version: 1, keys: [{ username: 'ada', to: own, keys: forged }] }
    await ada.write(BEAM, KEYS, true)
    expect(accounts.beam.keys.map(({ username }) => username)).toEqual(['ada'])
  })

  it('e18 go nowhere as they are from a device that knows of a vault, whatever the server says', async () => {
    const blind: VaultServer = { ...accounts.as('ada'), read: async () => null }
    const keeper = new VaultKeeper(blind, keptHere(), quick)
    await keeper.enterVault('ada', true)
    expect(await keeper.write(BEAM, KEYS, false)).toBe('nowhere')
    const without = device('bob')
    await without.enterVault('bob', false)
    expect(await without.write(BEAM, KEYS, false)).toBe('to-server')
    expect(await without.write(BEAM, KEYS, true)).toBe('nowhere')
  })

  it.each([
    ['server', () => new VaultKeeper({ ...accounts.as('bob'), read: noAnswer }, keptHere(), quick)],
    ['browser', () => new VaultKeeper(accounts.as('bob'), { ...keptHere(), read: noAnswer }, quick)],
  ])('e18 wait where the %s does not tell whether there is a vault', async (_, made) => {
    const keeper = made()
    await keeper.enterVault('bob', true).catch(() => {})
    await expect(keeper.write(BEAM, KEYS, false)).rejects.toThrow('It is not known')
  })

  it('e18 tell whether the server could ever read them', async () => {
    const { keeper } = await withVault('ada')
    await keeper.write(BEAM, { ...KEYS, isDeposited: true }, false)
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
