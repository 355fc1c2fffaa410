import { describe, expect, it } from 'vitest'
import { randomBytes } from './bytes'
import { fingerprintOf, type OwnEntry, Vault } from './vault'

/** The same with a bit changed, near the end. */
const changed = (sealed: string): string =>
  sealed.slice(0, -10) + (sealed.at(-10) === 'A' ? 'B' : 'A') + sealed.slice(-9)

const KEYS = { keys: ['K'], current: 'kid', isDeposited: false }
const ENTRY: OwnEntry = {
  ...KEYS,
  invite: 'I',
  hasLetIn: true,
  isVaulted: true,
  changes: [2, 3],
  devices: { phone: 'key of the phone' },
  removed: ['laptop'],
  unverified: [],
  tag: 'tag',
  ends: ['end'],
  people: ['key of bob'],
  names: ['bob'],
}

describe('a vault', () => {
  it('e17 opens by what it was sealed under, and by nothing else', async () => {
    const [vault, key] = [await Vault.make(), randomBytes(32)]
    const wrapped = await vault.wrapped(key, 'password')
    const { publicKey } = vault
    expect((await Vault.unwrap(wrapped, key, 'password', publicKey))?.publicKey).toBe(publicKey)
    expect(await Vault.unwrap(wrapped, randomBytes(32), 'password', publicKey)).toBeNull()
    expect(await Vault.unwrap(wrapped, key, 'words', publicKey)).toBeNull()
    expect(await Vault.unwrap(changed(wrapped), key, 'password', publicKey)).toBeNull()
  })

  it('e17 is not opened beside a public key of somebody else', async () => {
    const [vault, other, key] = [await Vault.make(), await Vault.make(), randomBytes(32)]
    const wrapped = await vault.wrapped(key, 'words')
    expect(await Vault.unwrap(wrapped, key, 'words', other.publicKey)).toBeNull()
  })

  it('e18 opens what its own account has sealed, and what another has sealed to it', async () => {
    const [ada, bob] = [await Vault.make(), await Vault.make()]
    expect(await ada.openOwn(await ada.sealOwn(ENTRY))).toEqual(ENTRY)
    expect(await bob.open(await ada.seal(bob.publicKey, KEYS))).toEqual(KEYS)
  })

  it('e18 tells others no more than the keys, and takes what others have sealed for nothing of its own', async () => {
    const [ada, bob] = [await Vault.make(), await Vault.make()]
    const sealed = await ada.seal(bob.publicKey, ENTRY)
    expect(await bob.open(sealed)).toEqual(KEYS)
    expect(await bob.openOwn(sealed)).toBeNull()
    expect(await bob.openOwn({ ...sealed, from: bob.publicKey })).toBeNull()
  })

  it('e18 opens nothing that was sealed to others, was changed, or bears the key of another sender', async () => {
    const [ada, bob, server] = [await Vault.make(), await Vault.make(), await Vault.make()]
    const sealed = await ada.seal(bob.publicKey, KEYS)
    expect(await ada.open(sealed)).toBeNull()
    expect(await bob.open({ ...sealed, sealed: changed(sealed.sealed) })).toBeNull()
    const forged = await server.seal(bob.publicKey, KEYS)
    expect(await bob.open({ ...forged, from: ada.publicKey })).toBeNull()
    expect(await bob.open({ ...sealed, from: 'no key' })).toBeNull()
  })

  it('e18 has a fingerprint of its own', async () => {
    const [ada, bob] = [await Vault.make(), await Vault.make()]
    const one = await fingerprintOf(ada.publicKey)
    expect(one).toMatch(/^(\d{5} ){5}\d{5}$/)
    expect(await fingerprintOf(ada.publicKey)).toBe(one)
    expect(await fingerprintOf(bob.publicKey)).not.toBe(one)
  })
})
