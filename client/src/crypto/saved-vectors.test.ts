/** What browsers and Rust seal to the vaults of people, which both have to open (`device/tests/it/vaults.rs`). */
import { expect, it } from 'vitest'
import vectors from '../../../shared/tests/vectors.json'
import { fromBase64Url } from './bytes'
import { Keyring } from './keyring'
import { Vault } from './vault'

const { publicKey, tag, keys, envelope, ofBrowser, ofNative, ...secrets } = vectors.savedKeys

const vaultOf = (secret: string) => Vault.of(fromBase64Url(secret) ?? new Uint8Array())

it.each([
  ['a browser', ofBrowser.own],
  ['a native device', ofNative],
])('e18 what %s has sealed to its own vault opens, and lets a device in', async (_, sealed) => {
  const entry = await (await vaultOf(secrets.secret)).openOwn({ from: publicKey, ...sealed })
  if (!entry) throw new Error('It does not open.')
  expect([entry.tag, entry.names, entry.ends.length]).toEqual([tag, ['bob'], 1])
  const ring = new Keyring()
  expect(await ring.withdrawOwn(entry, publicKey)).toBe('all')
  expect([ring.shared?.keys.length, ring.knows(envelope)]).toEqual([keys, true])
  expect((await ring.open('share_clipboard', envelope))?.content).toEqual(
    new TextEncoder().encode('oat milk'),
  )
})

it('e18 what a browser has sealed to the vault of another person opens there', async () => {
  const handed = await (await vaultOf(secrets.receiverSecret)).open({ from: publicKey, ...ofBrowser.handed })
  if (!handed) throw new Error('It does not open.')
  const ring = new Keyring()
  expect(await ring.withdrawHanded(handed)).toBe(true)
  expect(ring.knows(envelope)).toBe(true)
})
