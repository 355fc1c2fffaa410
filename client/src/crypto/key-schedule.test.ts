/**
 * All keys that follow of others (E1, E2, E6, E7, E9, E10), against another implementation of HKDF and AES-GCM that does what the
 * protocol says. `shared/tests/e2ee_keys.rs` has the same of the Rust side.
 */
import { createDecipheriv, createHmac, hkdfSync } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bigEndian, concat, fromBase64Url, toBase64Url, utf8 } from './bytes'
import { keyIdOf, Sealer } from './envelope'
import { FileCipher } from './file-chunks'
import { fileKeysOf } from './file-keys'
import { inviteKeysOf, proofOf } from './invite'
import { sealKept } from './kept-keys'
import { Keyring } from './keyring'
import { unpad } from './padding'

const randomOf = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => new Uint8Array(bytes))
const secrets = randomOf(32)
const contents = fc.uint8Array({ maxLength: 600 }).map((bytes) => new Uint8Array(bytes))

/** HKDF with everything (RFC 5869), and its second half alone. */
const follows = (secret: Uint8Array, info: string, count: number, salt = new Uint8Array(0)) =>
  new Uint8Array(hkdfSync('sha256', secret, salt, info, count))
function expanded(secret: Uint8Array, info: Uint8Array, count: number): Uint8Array<ArrayBuffer> {
  let whole = new Uint8Array(0)
  let block = new Uint8Array(0)
  for (let turn = 1; whole.byteLength < count; turn += 1) {
    block = new Uint8Array(
      createHmac('sha256', secret).update(block).update(info).update(Uint8Array.of(turn)).digest(),
    )
    whole = concat(whole, block)
  }
  return whole.slice(0, count)
}

/** AES-256-GCM. @throws when it does not open */
function opened(key: Uint8Array, nonce: Uint8Array, sealed: Uint8Array, about = new Uint8Array(0)) {
  const cipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(about)
  cipher.setAuthTag(sealed.slice(-16))
  return concat(cipher.update(sealed.slice(0, -16)), cipher.final())
}

const holds = (property: fc.IAsyncProperty<unknown>) => fc.assert(property, { numRuns: 50 })

describe('what follows of', () => {
  it('a beam key are its id, the keys of pages, and an invite', async () => {
    const numbers = fc.integer({ min: 0, max: 5 })
    await holds(
      fc.asyncProperty(secrets, randomOf(16), contents, numbers, async (beamKey, page, content, number) => {
        const keyId = follows(beamKey, 'beam-e2e/1 kid', 8)
        expect(await keyIdOf(beamKey)).toBe(toBase64Url(keyId))
        const sealer = await Sealer.of(beamKey, page)
        for (let before = 0; before < number; before += 1) await sealer.seal('signal', content)
        const envelope = fromBase64Url((await sealer.seal('e2e', content)).slice('e2e1.'.length)) ?? content
        const header = concat(Uint8Array.of(1), keyId, page, bigEndian(number, 8))
        expect(envelope.slice(0, header.byteLength)).toEqual(header)
        const padded = opened(
          follows(beamKey, 'beam-e2e/1 msg', 32, page),
          concat(new Uint8Array(4), bigEndian(number, 8)),
          envelope.slice(header.byteLength),
          concat(utf8('beam-e2e/1e2e'), header),
        )
        expect(unpad(padded)).toEqual(content)

        const ring = new Keyring()
        await ring.withdraw({ keys: [toBase64Url(beamKey)], current: toBase64Url(keyId), proof: null })
        expect(ring.secret).toEqual(follows(beamKey, 'beam-e2e/1 invite', 32))
      }),
    )
  })

  it('an invite are its id, what proves it, what welcomes are sealed with, and the key of what is kept', async () => {
    await holds(
      fc.asyncProperty(secrets, randomOf(65), async (secret, publicKey) => {
        const keys = await inviteKeysOf(secret)
        expect(keys).toEqual({
          id: follows(secret, 'beam-e2e/1 invite-id', 8),
          mac: follows(secret, 'beam-e2e/1 join-mac', 32),
          psk: follows(secret, 'beam-e2e/1 join-psk', 32),
        })
        const proof = createHmac('sha256', keys.mac).update('join').update(publicKey).digest()
        expect(await proofOf(keys, publicKey)).toEqual(new Uint8Array(proof))
        const kept = await sealKept(secret, 'keys')
        const key = follows(secret, 'beam-e2e/1 kept', 32)
        expect(opened(key, kept.slice(0, 12), kept.slice(12))).toEqual(utf8('keys'))
      }),
    )
  })

  it('the key and the salt of a file are the key and the nonces of its chunks, and the key of its hashes', async () => {
    await holds(
      fc.asyncProperty(
        secrets,
        randomOf(24),
        contents,
        fc.nat(2 ** 32 - 1),
        async (key, salt, content, chunk) => {
          const name = utf8('c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0')
          const derived = expanded(key, concat(name, salt, utf8('beam-e2e/1 file')), 76)
          const cipher = await FileCipher.sealing(key, salt)
          expect(cipher.header).toEqual(concat(salt, derived.slice(44)))
          const place = bigEndian(chunk, 12)
          const nonce = derived.slice(32, 44).map((byte, at) => byte ^ (place[at] ?? 0))
          expect(opened(derived.slice(0, 32), nonce, await cipher.seal(chunk, content))).toEqual(content)
          const { pieces } = await fileKeysOf({ key: toBase64Url(key), salt: toBase64Url(salt) })
          expect(pieces).toEqual(expanded(key, utf8('beam-e2e/1 pieces'), 32))
        },
      ),
    )
  })

  it('one secret differs for each use, and is another one where a bit of the secret is', async () => {
    /** Everything of 32 bytes that follows of a secret, whatever it is the secret of. */
    const all = async (secret: Uint8Array<ArrayBuffer>) => {
      const ring = new Keyring()
      await ring.withdraw({ keys: [toBase64Url(secret)], current: await keyIdOf(secret), proof: null })
      const { mac, psk } = await inviteKeysOf(secret)
      const { pieces, cipher } = await fileKeysOf({ key: toBase64Url(secret), salt: 'A'.repeat(32) })
      return [secret, ring.secret ?? secret, mac, psk, pieces, cipher.header.slice(24)].map(toBase64Url)
    }
    await holds(
      fc.asyncProperty(secrets, fc.nat(255), async (secret, bit) => {
        const other = secret.map((byte, at) => (at === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte))
        expect(new Set([...(await all(secret)), ...(await all(other))]).size).toBe(12)
      }),
    )
  })
})
