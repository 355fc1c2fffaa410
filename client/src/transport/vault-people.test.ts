/** The people to whom the owner of a saved beam hands its keys, and those whose share has ended. */
import { beforeEach, describe, expect, it } from 'vitest'
import { type OwnState, Vault } from '../crypto/vault'
import type { BeamVault } from '../protocol/bindings'
import { Refused } from './vault-calls'
import {
  accounts,
  BEAM,
  begins,
  elsewhere,
  keysIn,
  noAnswer,
  type PageVault,
  receivers,
  STATE,
  withVault,
  writes,
} from './vault-stage'

type Person = BeamVault['people'][number]

/** The person compares the fingerprint of another one, and lets them open the beam. */
async function trusts(keeper: PageVault, username: string): Promise<boolean> {
  const person = (await keeper.peopleOf(BEAM)).find((one) => one.username === username)
  return keeper.trust(BEAM, username, person?.fingerprint ?? '')
}

beforeEach(begins)

describe('the keys of a saved beam', () => {
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
})

describe('the keys of a saved beam whose owner ends a share that the server goes on listing', () => {
  /** What a device of the owner knows of the beam, before the share ends and afterwards. */
  const KNOWN = { tagIn: () => STATE.tag, ends: [] }
  const AFTER: OwnState = { ...STATE, keys: ['K', 'K2'], ends: ['end'] }
  const ends = (keeper: PageVault, username = 'bob') => keeper.distrust(BEAM, username, KNOWN, 'end')

  /** Ada has handed the keys to Bob, and to Carol. */
  const handed = async () => {
    const { keeper: ada } = await withVault('ada')
    accounts.all.set('carol', { password: 'the old one', vault: null })
    for (const name of ['bob', 'carol']) {
      await withVault(name)
      await trusts(ada, name)
    }
    await writes(ada)
    expect(receivers()).toEqual(['ada', 'bob', 'carol'])
    return { ada, before: accounts.beam }
  }
  const ended = async () => {
    const { ada, before } = await handed()
    await ends(ada)
    return { ada, before }
  }
  /** What the server tells of a beam while the share ends, in place of what there is. */
  const whileTelling = async (keeper: PageVault, tells: (there: BeamVault) => BeamVault) => {
    const { readKeys } = keeper.server
    keeper.server.readKeys = async (beam) => tells(await readKeys(beam))
    await ends(keeper)
    keeper.server.readKeys = readKeys
  }
  const saying =
    (change: (person: Person) => readonly Partial<Person>[]) =>
    (there: BeamVault): BeamVault => ({
      ...there,
      people: there.people.flatMap((person) => change(person).map((one) => ({ ...person, ...one }))),
    })
  const isBob = ({ username }: Person) => username === 'bob'

  it('e18 come to that person no more, and still to the others, from every device of the owner', async () => {
    const { ada } = await ended()
    expect(receivers()).toEqual(['ada', 'carol'])
    for (const own of [ada, await elsewhere()]) {
      await writes(own, AFTER)
      expect(receivers()).toEqual(['ada', 'carol'])
    }
  })

  it('e18 come to nobody whom the own vault named before that, and the server shows this again', async () => {
    const { ada, before } = await ended()
    for (const own of [ada, await elsewhere()]) {
      accounts.beam = before
      await writes(own, AFTER)
      expect(receivers()).toEqual(['ada'])
    }
  })

  it('e18 still come to the others where they were let in before their names were sealed', async () => {
    const { ada } = await handed()
    const vault = await ada.keeper.opened()
    if (!vault) throw new Error('It is open.')
    const own = accounts.beam.keys.find(({ username }) => username === 'ada')
    const entry = own && (await vault.openOwn(own.keys))
    if (!own || !entry) throw new Error('It lies in the vault.')
    const unnamed = { ...own, keys: await vault.sealOwn({ ...entry, names: [] }) }
    accounts.beam = { ...accounts.beam, keys: accounts.beam.keys.map((one) => (one === own ? unnamed : one)) }
    await writes(ada)
    await ends(ada)
    await writes(ada, AFTER)
    expect(receivers()).toEqual(['ada', 'carol'])
  })

  it('e18 come to nobody whom another device of the owner has named without knowing of that', async () => {
    const { ada, before } = await handed()
    // Bob was let in by what the server has hidden until now.
    accounts.beam = { version: 0, keys: [] }
    await writes(ada)
    await ends(ada)
    accounts.beam = before
    await writes(ada, AFTER)
    expect(receivers()).toEqual(['ada'])
  })

  it.each<[string, (there: BeamVault) => BeamVault]>([
    ['hides the person', saying((person) => (isBob(person) ? [] : [{}]))],
    ['says that the person has no vault', saying((person) => [isBob(person) ? { public_key: null } : {}])],
    ['shows another vault under that name', saying((person) => [isBob(person) ? { public_key: 'K' } : {}])],
    [
      'says that the vault is that of somebody else',
      saying((person) => [isBob(person) ? { username: 'zed' } : {}]),
    ],
    ['says so of somebody else too', saying((person) => (isBob(person) ? [{}, { username: 'zed' }] : [{}]))],
  ])('e18 come to that person no more, and still to the others, where the server %s', async (_, tells) => {
    const { ada } = await handed()
    await whileTelling(ada, tells)
    for (const own of [ada, await elsewhere()]) {
      await writes(own, AFTER)
      expect(receivers()).toEqual(['ada', 'carol'])
    }
  })

  it('e18 come no more to a person who has another username now, whatever the server says meanwhile', async () => {
    const { ada } = await handed()
    const bob = accounts.all.get('bob')
    if (bob) accounts.all.set('robert', bob)
    accounts.all.delete('bob')
    await ada.distrust(BEAM, 'robert', KNOWN, 'end')
    await writes(ada, AFTER)
    expect(receivers()).toEqual(['ada', 'carol'])
  })

  it.each<[string, (there: BeamVault) => BeamVault]>([
    ['hides what lies in the own vault', (there) => ({ ...there, keys: null })],
    [
      'refuses to show it',
      () => {
        throw new Refused(403)
      },
    ],
  ])('e18 come to nobody who had them, where the server %s', async (_, tells) => {
    const { ada, before } = await handed()
    await whileTelling(ada, tells)
    expect(accounts.beam).toBe(before)
    await writes(ada, AFTER)
    expect(receivers()).toEqual(['ada'])
  })

  it('e18 are not replaced by those of another beam, which the server shows in their place', async () => {
    const { ada, before } = await handed()
    await ada.distrust(BEAM, 'bob', { ...KNOWN, tagIn: () => 'of another beam' }, 'end')
    expect(accounts.beam).toBe(before)
  })

  it('e18 are not sealed again from what is older than the owner has seen', async () => {
    const { ada, before } = await handed()
    await ada.distrust(BEAM, 'carol', { ...KNOWN, ends: ['earlier'] }, 'end')
    expect(accounts.beam).toBe(before)
  })

  it('e18 come to nobody whom the page was about to hand them when the share ended', async () => {
    const { ada } = await ended()
    await trusts(ada, 'bob')
    await ends(ada)
    await writes(ada, AFTER)
    expect(receivers()).toEqual(['ada', 'carol'])
  })

  it('e18 come to that person again once the owner hands them', async () => {
    const { ada } = await ended()
    await trusts(ada, 'bob')
    await writes(ada, AFTER)
    expect(receivers()).toEqual(['ada', 'bob', 'carol'])
  })

  it('e18 leave the share as it is where the server does not tell who has them', async () => {
    const { ada } = await ended()
    ada.server.readKeys = noAnswer
    await expect(ends(ada)).rejects.toThrow('no answer')
  })
})
