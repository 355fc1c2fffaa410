import { type Bytes, concat, toBase64Url, utf8 } from './bytes'

export async function sha256(...parts: readonly Uint8Array[]): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', concat(...parts)))
}

/** Returns base64url of the SHA-256 of a text. */
export async function digestOf(text: string): Promise<string> {
  return toBase64Url(await sha256(utf8(text)))
}
