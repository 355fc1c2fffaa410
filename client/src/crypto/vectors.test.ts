/** The vectors that the browser and Rust both have to make or open (`shared/tests/e2ee.rs`). */
import { describe, expect, it } from 'vitest'
import vectors from '../../../shared/tests/vectors.json'
import { type Bytes, concat, fromBase64Url, toBase64Url } from './bytes'
import { commitmentOf, compare, type Share } from './comparing'
import { inviteOf } from './current-keys'
import { depositOf, isProven } from './deposit'
import { deviceKeys, openFrom } from './device-keys'
import { type Kind, keyIdOf, Opener, Sealer } from './envelope'
import { CHUNK_BYTES, chunkStart, FileCipher, HEADER_BYTES } from './file-chunks'
import { inviteKeysOf, proofOf } from './invite'
import { entropyIn, keyOfWords, wordsOf } from './recovery-words'
import { argon2id, stretched } from './stretching'
import { fingerprintOf, Vault } from './vault'
import { openWelcome, publicBytes } from './welcome'

function bytes(text: string): Bytes {
  const read = fromBase64Url(text)
  if (!read) throw new Error(`${text} is not base64url`)
  return read
}

/** Imports a key pair, whose two halves are told apart by the first byte of the public one (SEC 1, section 2.3.3). */
async function pairOf(privateKey: string, publicKey: string): Promise<CryptoKeyPair> {
  const point = bytes(publicKey)
  const [x, y] = [toBase64Url(point.slice(1, 33)), toBase64Url(point.slice(33))]
  const curve = { name: 'ECDH', namedCurve: 'P-256' }
  const jwk = { kty: 'EC', crv: 'P-256', x, y }
  return {
    privateKey: await crypto.subtle.importKey('jwk', { ...jwk, d: privateKey }, curve, false, ['deriveBits']),
    publicKey: await crypto.subtle.importKey('jwk', jwk, curve, true, []),
  }
}

it('an envelope is sealed byte for byte, and opens', async () => {
  const { beamKey, page, keyId, envelopes } = vectors.envelopes
  expect(await keyIdOf(bytes(beamKey))).toBe(keyId)
  const sealer = await Sealer.of(bytes(beamKey), bytes(page))
  const opener = new Opener(bytes(beamKey))
  for (const { kind, content, envelope } of envelopes) {
    expect(await sealer.seal(kind as Kind, bytes(content))).toBe(envelope)
    const opened = await opener.open(kind as Kind, envelope)
    expect(opened && toBase64Url(opened.content)).toBe(content)
  }
})

it('of an invite follow its id, what proves it, and a pre-shared key', async () => {
  const { secret, id, mac, psk, publicKey, proof } = vectors.invite
  const keys = await inviteKeysOf(bytes(secret))
  expect([keys.id, keys.mac, keys.psk].map(toBase64Url)).toEqual([id, mac, psk])
  expect(toBase64Url(await proofOf(keys, bytes(publicKey)))).toBe(proof)
})

it('deposited keys are proved byte for byte to who has the link, or a link that was made of the key', async () => {
  const { secret, keys, current, proof, inviteOfKey } = vectors.deposit
  const deposit = { keys, current, proof }
  expect(await depositOf(bytes(secret), deposit)).toEqual(deposit)
  const sealing = bytes(keys.at(-1) ?? '')
  expect(toBase64Url(await inviteOf(sealing))).toBe(inviteOfKey)
  expect(await isProven(deposit, sealing, bytes(secret))).toBe(true)
  expect(await isProven({ ...deposit, keys: keys.slice(1) }, sealing, bytes(secret))).toBe(false)
  expect(await isProven({ ...deposit, proof: null }, sealing, bytes(inviteOfKey))).toBe(true)
})

it('a welcome opens', async () => {
  const { privateKey, publicKey, device, pskId, psk, encapsulated, sealed, content } = vectors.welcome
  const opened = await openWelcome(
    { encapsulated: bytes(encapsulated), sealed: bytes(sealed) },
    { keys: await pairOf(privateKey, publicKey), device },
    { id: bytes(pskId), psk: bytes(psk) },
  )
  expect(opened && toBase64Url(opened)).toBe(content)
})

it('what a device hands another one opens', async () => {
  const { senderSecret, senderPublic, receiverSecret, receiverPublic, ...vector } = vectors.handed
  const [sender, receiver] = [await deviceKeys(bytes(senderSecret)), await deviceKeys(bytes(receiverSecret))]
  expect(toBase64Url(await publicBytes(sender))).toBe(senderPublic)
  expect(toBase64Url(await publicBytes(receiver))).toBe(receiverPublic)
  const opened = await openFrom(
    { device: vector.sender, publicKey: bytes(senderPublic) },
    { device: vector.receiver, keys: receiver },
    { encapsulated: bytes(vector.encapsulated), sealed: bytes(vector.sealed) },
  )
  expect(opened && toBase64Url(opened)).toBe(vector.content)
})

it('a file is sealed byte for byte, and opens', async () => {
  const { fileKey, salt, content, sealed } = vectors.file
  const file = new Uint8Array(content.bytes).map((_, at) => (at + 1) * content.step)
  const whole = bytes(sealed)
  const sealing = await FileCipher.sealing(bytes(fileKey), bytes(salt))
  const parts = [file.slice(0, CHUNK_BYTES), file.slice(CHUNK_BYTES)]
  const chunks = await Promise.all(parts.map((part, at) => sealing.seal(at, part)))
  expect(concat(sealing.header, ...chunks)).toEqual(whole)
  const opening = await FileCipher.opening(bytes(fileKey), whole.slice(0, HEADER_BYTES))
  expect(await opening?.open(1, whole.slice(chunkStart(1)), true)).toEqual(parts[1])
})

describe('what two people compare', () => {
  const { beam, joinerPublic, memberPublic, joinerNonce, memberNonce, ...vector } = vectors.comparing
  const shares: { readonly joiner: Share; readonly member: Share } = {
    joiner: { publicKey: bytes(joinerPublic), nonce: bytes(joinerNonce) },
    member: { publicKey: bytes(memberPublic), nonce: bytes(memberNonce) },
  }

  it.each([
    ['joiner', vector.joinerPrivate, joinerPublic, memberPublic],
    ['member', vector.memberPrivate, memberPublic, joinerPublic],
  ])('is the same at the %s', async (_, mine, own, theirs) => {
    expect(toBase64Url(await commitmentOf(bytes(beam), shares.joiner))).toBe(vector.commitment)
    const { privateKey } = await pairOf(mine, own)
    const { signs, psk } = await compare(bytes(beam), shares, privateKey, bytes(theirs))
    expect(signs).toEqual(vector.signs)
    expect([psk.id, psk.psk].map(toBase64Url)).toEqual([vector.pskId, vector.psk])
  })
})

it('e16 a password becomes two parts', async () => {
  const { password, quick, ...vector } = vectors.stretching
  const stretch = { ...vector, salt: bytes(vector.salt) }
  // What is stretched as much as a real one takes a second: Rust does that.
  const written = async (typed: Bytes) => {
    expect(toBase64Url(await argon2id(typed, { ...stretch, ...quick }))).toBe(quick.hash)
    return bytes(vector.hash)
  }
  const { login, vault } = await stretched(password, stretch, written)
  expect([login, vault].map(toBase64Url)).toEqual([vector.login, vector.vault])
})

it('e17 a vault opens by the password or the words, and has one public key and fingerprint', async () => {
  const { secret, publicKey, fingerprint, words, entropy, wordsKey, ...vector } = vectors.vault
  expect((await wordsOf(bytes(entropy))).join(' ')).toBe(words)
  expect(await entropyIn(words)).toEqual(bytes(entropy))
  expect(toBase64Url(await keyOfWords(bytes(entropy)))).toBe(wordsKey)
  expect(await fingerprintOf(publicKey)).toBe(fingerprint)
  for (const [wrapped, key, opens] of [
    [vector.byPassword, vector.passwordKey, 'password'],
    [vector.byWords, wordsKey, 'words'],
  ] as const) {
    const vault = await Vault.unwrap(wrapped, bytes(key), opens, publicKey)
    expect(vault && toBase64Url(vault.secret)).toBe(secret)
  }
})

it('e18 the keys of a saved beam open in the vault that they are sealed to', async () => {
  const { publicKey, receiverSecret, receiverPublic, encapsulated, sealed, content } = vectors.vault
  const receiver = await Vault.of(bytes(receiverSecret))
  expect(receiver.publicKey).toBe(receiverPublic)
  const opened = await receiver.open({ from: publicKey, encapsulated, sealed })
  expect(opened).toEqual(JSON.parse(new TextDecoder().decode(bytes(content))))
})

it('e18 what an owner has sealed to itself opens for that account alone', async () => {
  const { secret, publicKey, receiverSecret, own } = vectors.vault
  const [owner, other] = [await Vault.of(bytes(secret)), await Vault.of(bytes(receiverSecret))]
  const sealed = { ...own, from: publicKey }
  // It was sealed by a device that does not count.
  expect(await owner.openOwn(sealed)).toEqual({
    ends: [],
    names: [],
    ...JSON.parse(new TextDecoder().decode(bytes(own.content))),
  })
  expect(await other.openOwn(sealed)).toBeNull()
})
