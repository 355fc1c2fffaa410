/** A welcome as it goes over the wire (E6): what the devices of a beam have in common, sealed for one that joins. */
import { type Bytes, fromBase64Url, toBase64Url, utf8 } from './bytes'
import { type SharedKeys, sharedIn } from './shared-keys'
import { openWelcome, type Psk, type Sealed, sealWelcome } from './welcome'

/** Both are base64url. */
export interface WelcomeMessage {
  readonly encapsulated: string
  readonly sealed: string
}

/** Returns what lets a device in; null where its key is none. */
export async function welcomeWith(
  shared: SharedKeys,
  joiner: { readonly publicKey: Bytes; readonly device: string },
  psk: Psk,
): Promise<WelcomeMessage | null> {
  const content = utf8(JSON.stringify({ ...shared, hasLetIn: true } satisfies SharedKeys))
  try {
    return messageOf(await sealWelcome(content, joiner, psk))
  } catch {
    return null
  }
}

/** Returns null for what was not made for this joiner with this pre-shared key. */
export async function toldBy(
  message: WelcomeMessage,
  joiner: { readonly keys: CryptoKeyPair; readonly device: string },
  psk: Psk,
): Promise<SharedKeys | null> {
  const sealed = sealedOf(message)
  const content = sealed && (await openWelcome(sealed, joiner, psk))
  return content && sharedIn(new TextDecoder().decode(content))
}

export function messageOf({ encapsulated, sealed }: Sealed): WelcomeMessage {
  return { encapsulated: toBase64Url(encapsulated), sealed: toBase64Url(sealed) }
}

/** Returns null for what is not base64url. */
export function sealedOf({ encapsulated, sealed }: WelcomeMessage): Sealed | null {
  const [point, rest] = [fromBase64Url(encapsulated), fromBase64Url(sealed)]
  return point && rest && { encapsulated: point, sealed: rest }
}
