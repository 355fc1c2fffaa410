/** The people to whom the owner of a saved beam hands its keys, and those whose share has ended. */
import { beforeEach, describe, expect, it } from 'vitest'
import { Vault } from '../crypto/vault'
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
  /** Bob could open the beam until now. */
  const ended = async () => {
    const [{ keeper: ada }] = [await withVault('ada'), await withVault('bob')]
    await trusts(ada, 'bob')
    await writes(ada)
    const before = accounts.beam
    return { ada, before, sealed: await ada.distrust(BEAM, 'bob') }
  }

  it('e18 come to that person no more, from no device of the owner', async () => {
    const { ada } = await ended()
    expect(receivers()).toEqual(['ada'])
    for (const own of [ada, await elsewhere()]) {
      await writes(own, { ...STATE, keys: ['K', 'K2'] })
      expect(receivers()).toEqual(['ada'])
    }
  })

  it('e18 come to nobody whom the own vault named before that, and the server shows this again', async () => {
    const { ada, before, sealed } = await ended()
    for (const own of [ada, await elsewhere()]) {
      accounts.beam = before
      await writes(own, { ...STATE, keys: ['K', 'K2'], writes: sealed?.writes ?? 0 })
      expect(receivers()).toEqual(['ada'])
    }
  })

  it('e18 come to that person no more, where the server hides meanwhile what lies in the own vault', async () => {
    const [{ keeper: ada }] = [await withVault('ada'), await withVault('bob')]
    await trusts(ada, 'bob')
    await writes(ada)
    const { readKeys } = ada.server
    ada.server.readKeys = async (beam) => ({ ...(await readKeys(beam)), keys: null })
    await ada.distrust(BEAM, 'bob')
    ada.server.readKeys = readKeys
    await writes(ada, { ...STATE, keys: ['K', 'K2'] })
    expect(receivers()).toEqual(['ada'])
  })

  it('e18 come to that person again once the owner hands them', async () => {
    const { ada } = await ended()
    await trusts(ada, 'bob')
    await writes(ada)
    expect(receivers()).toEqual(['ada', 'bob'])
  })

  it('e18 leave the share as it is where the server does not tell who has them', async () => {
    const { ada } = await ended()
    ada.server.readKeys = noAnswer
    await expect(ada.distrust(BEAM, 'bob')).rejects.toThrow('no answer')
  })
})
