/**
 * The key pair that each device of a beam has (E15), to which the others seal new keys when one of them is removed: HPKE (RFC 9180)
 * in its mode with the sender's key, so that who opens knows who has sealed. The removed device has everything else.
 */
import { type Bytes, concat, utf8 } from './bytes'
import { type Sealed, suite } from './welcome'

/** A device as the other end of what is sealed: its id in the beam, and its public key. */
export interface Addressed {
  readonly device: string
  readonly publicKey: Bytes
}

/** This device. */
export interface Own {
  readonly device: string
  readonly keys: CryptoKeyPair
}

/** Returns the key pair that follows of a secret (DeriveKeyPair of RFC 9180, section 7.1.3). */
export async function deviceKeys(secret: Bytes): Promise<CryptoKeyPair> {
  return suite().kem.deriveKeyPair(secret)
}

/** @throws when the bytes are no public key */
export async function sealFor(to: Addressed, from: Own, content: Bytes): Promise<Sealed> {
  const hpke = suite()
  const sender = await hpke.createSenderContext({
    recipientPublicKey: await hpke.kem.deserializePublicKey(to.publicKey),
    senderKey: from.keys,
    info: infoOf(from.device, to.device),
  })
  return { encapsulated: new Uint8Array(sender.enc), sealed: new Uint8Array(await sender.seal(content)) }
}

/** Returns null for what that device has not sealed for this one, or was changed on its way. */
export async function openFrom(
  from: Addressed,
  to: Own,
  { encapsulated, sealed }: Sealed,
): Promise<Bytes | null> {
  const hpke = suite()
  try {
    const recipient = await hpke.createRecipientContext({
      recipientKey: to.keys,
      senderPublicKey: await hpke.kem.deserializePublicKey(from.publicKey),
      enc: encapsulated,
      info: infoOf(from.device, to.device),
    })
    return new Uint8Array(await recipient.open(sealed))
  } catch {
    return null
  }
}

/** Binds what is sealed to both devices. Their ids are of one length. */
function infoOf(from: string, to: string): Bytes {
  return concat(utf8('beam-e2e/1 keys'), utf8(from), utf8(to))
}
