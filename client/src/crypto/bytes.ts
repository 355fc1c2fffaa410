/** Bytes as the cryptography needs them. Every buffer is its own, because WebCrypto takes no shared ones. */
export type Bytes = Uint8Array<ArrayBuffer>

const encoder = new TextEncoder()

export function utf8(text: string): Bytes {
  return encoder.encode(text)
}

export function concat(...parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.byteLength
  }
  return whole
}

export function randomBytes(count: number): Bytes {
  return crypto.getRandomValues(new Uint8Array(count))
}

/** Returns a number in so many bytes, the most significant first. */
export function bigEndian(value: number, count: number): Bytes {
  const bytes = new Uint8Array(count)
  for (let rest = value, at = count - 1; at >= 0; at -= 1, rest = Math.floor(rest / 256))
    bytes[at] = rest % 256
  return bytes
}

/** Compares in a time that does not depend on where two secrets differ. */
export function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  if (one.byteLength !== other.byteLength) return false
  let difference = 0
  for (let at = 0; at < one.byteLength; at += 1) difference |= (one[at] ?? 0) ^ (other[at] ?? 0)
  return difference === 0
}

/** RFC 4648, section 5, without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.byteLength; at += 0x8000)
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Returns null for what is not base64url, or is not written in its one right way. */
export function fromBase64Url(text: string): Bytes | null {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) return null
  const decoded = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = new Uint8Array(decoded.length)
  for (let at = 0; at < decoded.length; at += 1) bytes[at] = decoded.charCodeAt(at)
  // Only the last characters can be written in several ways, where they do not end a group of four.
  const last = bytes.subarray(bytes.byteLength - (bytes.byteLength % 3))
  return text.endsWith(toBase64Url(last)) ? bytes : null
}
