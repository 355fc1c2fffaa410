import { beforeEach, describe, expect, it } from 'vitest'
import { type OwnState, Vault } from '../crypto/vault'
import type { BeamId, Vault as StoredVault } from '../protocol/bindings'
import type { KnownPlace } from './own-vault'
import type { VaultServer } from './vault-calls'
import {
  accounts,
  BEAM,
  begins,
  device,
  elsewhere,
  keptHere,
  keysIn,
  MINE,
  noAnswer,
  type PageVault,
  pageVault,
  receivers,
  STATE,
  withVault,
  writes,
} from './vault-stage'

const OTHER = '1b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
/** What a device knows that has its keys from a deposit. */
const OF_OTHERS = { isMine: false, maySend: true, isVaulted: false }

beforeEach(begins)

describe('the keys of a saved beam', () => {
  it('e18 are sealed to their owner, and open on another device', async () => {
    const { keeper } = await withVault('ada')
    const vault = accounts.all.get('ada')?.vault?.public_key
    expect(await writes(keeper)).toMatchObject({ go: 'into-vaults', vault, tag: STATE.tag })
    expect(await (await elsewhere()).read(BEAM, true)).toEqual({
      is: 'own',
      entry: { ...STATE, people: [], names: [] },
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
      expect([go, accounts.beam.version]).toEqual([is === 'exposed' ? 'exposed' : 'not-yet', 1])
    },
  )

  it('e18 do not take the place of what this account has sealed there and this client cannot read', async () => {
    const { keeper } = await withVault('ada')
    const newer = { ...STATE, changes: 'in another form' }
    await keeper.write(BEAM, MINE, async () => ({ is: 'state', state: newer as unknown as OwnState }))
    const there = accounts.beam
    const found: unknown[] = []
    const { go } = await keeper.write(BEAM, MINE, async (before) => {
      found.push(before)
      return { is: 'state', state: STATE }
    })
    expect([go, found, accounts.beam]).toEqual(['not-yet', [], there])
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

  describe('that the server has made', () => {
    const forged = async () => {
      const [{ keeper: ada }, server] = [await withVault('ada'), await Vault.make()]
      accounts.all.set('mallory', {
        password: '',
        vault: { ...(accounts.all.get('ada')?.vault as StoredVault), public_key: server.publicKey },
      })
      const own = accounts.all.get('ada')?.vault?.public_key ?? ''
      // As an owner seals to itself, but by another pair.
      const content = { ...STATE, people: [server.publicKey], names: ['mallory'] }
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
      await ada.ownBeams([])
      expect([(await ada.read(BEAM, false))?.is, await ada.howKept()]).toEqual([
        'handed',
        { [BEAM]: 'sealed' },
      ])
      await ada.ownBeams([BEAM])
      expect([await ada.read(BEAM, false), await ada.howKept()]).toEqual([
        { is: 'closed' },
        { [BEAM]: 'not-in-vault' },
      ])
    })

    it('e18 are not taken from a page that has not listed its own beams yet', async () => {
      const ada = await forged()
      const asked: BeamId[] = []
      const { readKeys } = ada.server
      ada.server.readKeys = (beam) => {
        asked.push(beam)
        return readKeys(beam)
      }
      const reading = ada.read(BEAM, false)
      await ada.read(OTHER, true)
      expect(asked).toEqual([OTHER])
      await ada.ownBeams([BEAM])
      expect(await reading).toEqual({ is: 'closed' })
    })

    it('e18 are not taken from a page whose login ends before it has listed its own beams', async () => {
      const ada = await forged()
      const reading = ada.read(BEAM, false)
      await ada.leaveVault()
      await expect(reading).rejects.toThrow('It is not known')
    })

    it('e18 are not taken by who has saved the beam', async () => {
      expect(await (await forged()).read(BEAM, true)).toEqual({ is: 'closed' })
    })
  })

  describe('whose owner has a vault', () => {
    /** The server says that the beam is not this person's, and that its keys are in no vault. */
    async function denied() {
      await withVault('ada')
      const server = { ...accounts.as('ada'), readKeys: async () => ({ version: 0, keys: null, people: [] }) }
      const keeper = pageVault(server)
      const stretch = accounts.all.get('ada')?.vault?.stretch
      if (stretch) await keeper.prove('correct horse', stretch)
      await keeper.keepOpener()
      await keeper.enterVault('ada', false)
      return keeper
    }
    const goes = async (keeper: PageVault, known: KnownPlace) => (await writes(keeper, STATE, known)).go

    it.each([
      ['has saved it', MINE, 'not-yet'],
      ['found them in vaults', { isMine: false, maySend: true, isVaulted: true }, 'nowhere'],
    ])('e18 go nowhere as they are from a device that %s, whatever the server says', async (_, known, go) => {
      const keeper = await denied()
      await keeper.ownBeams([])
      expect(await goes(keeper, known)).toBe(go)
    })

    it("e18 go nowhere as they are where the page lists the beam as the person's own", async () => {
      const keeper = await denied()
      const early = goes(keeper, OF_OTHERS)
      await keeper.ownBeams([BEAM])
      expect(await early).toBe('not-yet')
      expect(await goes(keeper, OF_OTHERS)).toBe('not-yet')
      expect([await keeper.isFor(BEAM, false), await keeper.isFor(OTHER, false)]).toEqual([true, false])
    })

    it("e18 go to the server where the page does not list the beam as the person's own", async () => {
      const keeper = await denied()
      await keeper.ownBeams([OTHER])
      expect(await goes(keeper, OF_OTHERS)).toBe('to-server')
    })

    it('e18 go nowhere as they are from a device that knows of a vault, whatever the server says', async () => {
      const blind: VaultServer = { ...accounts.as('ada'), read: async () => null }
      const keeper = pageVault(blind)
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
    ['server', () => pageVault({ ...accounts.as('bob'), read: noAnswer })],
    ['browser', () => pageVault(accounts.as('bob'), { ...keptHere(), read: noAnswer })],
  ])('e18 wait where the %s does not tell whether there is a vault', async (_, made) => {
    const keeper = made()
    await keeper.enterVault('bob', true).catch(() => {})
    await expect(writes(keeper)).rejects.toThrow('It is not known')
    await expect(keeper.read(BEAM, false)).rejects.toThrow('It is not known')
  })

  it('e18 wait where nobody has said yet who is logged in', async () => {
    await expect(writes(device('bob'))).rejects.toThrow('It is not known')
    await expect(device('bob').read(BEAM, false)).rejects.toThrow('It is not known')
  })

  it('e18 are known to lie in vaults also to who cannot open them', async () => {
    const without = device('bob')
    await without.enterVault('bob', false)
    expect(await without.read(BEAM, false)).toBeNull()
    await writes((await withVault('ada')).keeper)
    const locked = device('ada')
    await locked.enterVault('ada', false)
    for (const one of [without, locked]) expect(await one.read(BEAM, false)).toEqual({ is: 'closed' })
  })

  it('e18 tell whether the server could ever read them', async () => {
    const { keeper } = await withVault('ada')
    await writes(keeper, { ...STATE, isDeposited: true })
    expect(await keeper.howKept()).toEqual({ [BEAM]: 'sealed-since' })
    const readable = pageVault(
      { ...accounts.as('ada'), listKeys: async () => [{ beam_id: BEAM, keys: null }] },
      keptHere(),
    )
    expect(await readable.howKept()).toEqual({ [BEAM]: 'readable' })
  })

  it('e18 are sealed for the username of now, which another device has changed', async () => {
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
