/** The ways into a beam: by a link, and by what two people compare. */
import { beforeAll, describe, expect, it } from 'vitest'
import { randomBytes, utf8 } from './bytes'
import { commitmentOf, compare, isCommitted, type Share } from './comparing'
import { inviteKeysOf, isProof, proofOf } from './invite'
import { joinerKeys, openWelcome, type Psk, publicBytes, sealWelcome } from './welcome'

const CONTENT = utf8('the beam key')

describe('the secret of a link', () => {
  it('proves that the owner of a key has it', async () => {
    const keys = await inviteKeysOf(randomBytes(32))
    const [mine, other] = [await publicBytes(await joinerKeys()), await publicBytes(await joinerKeys())]
    const proof = await proofOf(keys, mine)
    expect(await isProof(keys, mine, proof)).toBe(true)
    expect(await isProof(keys, other, proof)).toBe(false)
    expect(await isProof(await inviteKeysOf(randomBytes(32)), mine, proof)).toBe(false)
  })
})

describe('a welcome', () => {
  let keys: CryptoKeyPair
  let psk: Psk
  const device = 'b'

  beforeAll(async () => {
    keys = await joinerKeys()
    psk = await inviteKeysOf(randomBytes(32))
  })

  const sealed = async () => sealWelcome(CONTENT, { publicKey: await publicBytes(keys), device }, psk)

  it('opens for the joiner for whom it was sealed', async () => {
    expect(await openWelcome(await sealed(), { keys, device }, psk)).toEqual(CONTENT)
  })

  it.each([
    ['another secret', async () => ({ keys, device, psk: await inviteKeysOf(randomBytes(32)) })],
    ['another device', async () => ({ keys, device: 'c', psk })],
    ['another key', async () => ({ keys: await joinerKeys(), device, psk })],
  ])('does not open for %s', async (_, of) => {
    const other = await of()
    expect(await openWelcome(await sealed(), other, other.psk)).toBeNull()
  })

  it('does not open when it was changed', async () => {
    const welcome = await sealed()
    const change = (bytes: Uint8Array<ArrayBuffer>) => bytes.map((byte, at) => (at === 9 ? byte ^ 1 : byte))
    expect(
      await openWelcome({ ...welcome, sealed: change(welcome.sealed) }, { keys, device }, psk),
    ).toBeNull()
    const encapsulated = change(welcome.encapsulated)
    expect(await openWelcome({ ...welcome, encapsulated }, { keys, device }, psk)).toBeNull()
  })
})

describe('what two people compare', () => {
  const beam = randomBytes(16)
  const shareOf = async (keys: CryptoKeyPair): Promise<Share> => ({
    publicKey: await publicBytes(keys),
    nonce: randomBytes(32),
  })

  it('is the same on both devices, and so is the key of the welcome', async () => {
    const [joinerPair, memberPair] = [await joinerKeys(), await joinerKeys()]
    const shares = { joiner: await shareOf(joinerPair), member: await shareOf(memberPair) }
    const at = await compare(beam, shares, joinerPair.privateKey, shares.member.publicKey)
    const there = await compare(beam, shares, memberPair.privateKey, shares.joiner.publicKey)
    expect(at).toEqual(there)
    expect(at.signs).toHaveLength(4)
    expect(at.signs.every((sign) => sign >= 0 && sign < 64)).toBe(true)
  })

  it('differs where somebody in the middle has put in a key', async () => {
    const [joinerPair, memberPair, middle] = [await joinerKeys(), await joinerKeys(), await joinerKeys()]
    const [joiner, member, fake] = [
      await shareOf(joinerPair),
      await shareOf(memberPair),
      await shareOf(middle),
    ]
    const at = await compare(beam, { joiner, member: fake }, joinerPair.privateKey, fake.publicKey)
    const there = await compare(beam, { joiner: fake, member }, memberPair.privateKey, fake.publicKey)
    expect(at.psk.psk).not.toEqual(there.psk.psk)
  })

  it('is what the joiner has committed itself to', async () => {
    const share = await shareOf(await joinerKeys())
    const commitment = await commitmentOf(beam, share)
    expect(await isCommitted(beam, share, commitment)).toBe(true)
    expect(await isCommitted(beam, { ...share, nonce: randomBytes(32) }, commitment)).toBe(false)
    expect(await isCommitted(randomBytes(16), share, commitment)).toBe(false)
  })
})
