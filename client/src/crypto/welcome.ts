/**
 * What a device in a beam gives to one that joins: HPKE (RFC 9180) in its mode with a pre-shared key, DHKEM(P-256,
 * HKDF-SHA256), HKDF-SHA256 and AES-256-GCM. Who does not have the pre-shared key can neither make a welcome nor open one, and the key
 * of the joiner is made for it alone, so that a link that leaks later opens nothing that was recorded. The only file that
 * imports `@hpke/core`: WebCrypto has all its parts, and not the whole.
 */
import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core'
import { type Bytes, concat, utf8 } from './bytes'

/** The pre-shared key and its name: of an invite, or of a comparison. */
export interface Psk {
  readonly id: Bytes
  readonly psk: Bytes
}

export interface Sealed {
  /** The public key that was made for this welcome. */
  readonly encapsulated: Bytes
  readonly sealed: Bytes
}

/** The key pair of a joiner. The private half never leaves the browser's hands. */
export async function joinerKeys(): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, false, ['deriveBits'])
}

/** Returns the 65 bytes of a public key (SEC 1, section 2.3.3). */
export async function publicBytes({ publicKey }: Pick<CryptoKeyPair, 'publicKey'>): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.exportKey('raw', publicKey))
}

export const suite = () =>
  new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() })

/** Binds a welcome to the key and to the device id of the joiner. */
async function infoOf(publicKey: Bytes, device: string): Promise<Bytes> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', publicKey))
  return concat(utf8('beam-e2e/1 welcome'), hash, utf8(device))
}

/** @throws when the bytes are no public key */
export async function sealWelcome(
  content: Uint8Array<ArrayBuffer>,
  joiner: { readonly publicKey: Bytes; readonly device: string },
  { id, psk }: Psk,
): Promise<Sealed> {
  const hpke = suite()
  const recipientPublicKey = await hpke.kem.deserializePublicKey(joiner.publicKey)
  const info = await infoOf(joiner.publicKey, joiner.device)
  const sender = await hpke.createSenderContext({ recipientPublicKey, info, psk: { id, key: psk } })
  const sealed = new Uint8Array(await sender.seal(content))
  return { encapsulated: new Uint8Array(sender.enc), sealed }
}

/** Returns null for a welcome that was not made for this key, device and pre-shared key, or was changed on its way. */
export async function openWelcome(
  { encapsulated, sealed }: Sealed,
  joiner: { readonly keys: CryptoKeyPair; readonly device: string },
  { id, psk }: Psk,
): Promise<Bytes | null> {
  const info = await infoOf(await publicBytes(joiner.keys), joiner.device)
  try {
    const recipient = await suite().createRecipientContext({
      recipientKey: joiner.keys,
      enc: encapsulated,
      info,
      psk: { id, key: psk },
    })
    return new Uint8Array(await recipient.open(sealed))
  } catch {
    return null
  }
}
