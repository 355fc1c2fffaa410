/**
 * Seals the bytes of a file in chunks, each of which opens by itself, so that a file can be read from anywhere and resumed:
 * C2SP chunked-encryption (c2sp.org/chunked-encryption@v1) with HKDF-SHA-256 and AES-256-GCM. The same bytes go every way, and
 * lie in the server's copy. A header of salt and commitment comes first: without the commitment, a file could be made that opens
 * under two keys. The nonce of a chunk is its place, and the last chunk is a short one, so that no chunk can be moved, left
 * out at the end, or taken from another file.
 */
import { type Bytes, bigEndian, concat, isEqual, randomBytes, utf8 } from './bytes'
import { expand } from './hkdf'

/** Bytes of a file in a chunk. The last has fewer, perhaps none. */
export const CHUNK_BYTES = 16_384
/** By so much a sealed chunk is longer. */
export const TAG_BYTES = 16
export const SEALED_CHUNK_BYTES = CHUNK_BYTES + TAG_BYTES
export const SALT_BYTES = 24
const COMMITMENT_BYTES = 32
/** Bytes before the first chunk. */
export const HEADER_BYTES = SALT_BYTES + COMMITMENT_BYTES
export const KEY_BYTES = 32
const NONCE_BYTES = 12

/** Returns how many bytes a file of this size has when it is sealed. */
export function sealedSize(size: number): number {
  return HEADER_BYTES + size + TAG_BYTES * (Math.floor(size / CHUNK_BYTES) + 1)
}

/** Returns where a chunk begins in the sealed file. */
export function chunkStart(chunk: number): number {
  return HEADER_BYTES + chunk * SEALED_CHUNK_BYTES
}

export class FileCipher {
  private constructor(
    /** What is before the first chunk. */
    readonly header: Bytes,
    readonly key: CryptoKey,
    readonly nonce: Bytes,
  ) {}

  /** Begins to seal. @param salt random bytes, new for each time that a file is sealed */
  static async sealing(fileKey: Bytes, salt = randomBytes(SALT_BYTES)): Promise<FileCipher> {
    const { key, nonce, commitment } = await parts(fileKey, salt)
    return new FileCipher(concat(salt, commitment), key, nonce)
  }

  /** Begins to open. Returns null when the header is not of this key. */
  static async opening(fileKey: Bytes, header: Bytes): Promise<FileCipher | null> {
    if (header.byteLength !== HEADER_BYTES) return null
    const { key, nonce, commitment } = await parts(fileKey, header.slice(0, SALT_BYTES))
    return isEqual(commitment, header.subarray(SALT_BYTES)) ? new FileCipher(header, key, nonce) : null
  }

  /** Seals the chunk at a place. A full one is followed by another. */
  async seal(chunk: number, bytes: Bytes): Promise<Bytes> {
    return new Uint8Array(await crypto.subtle.encrypt(this.#params(chunk), this.key, bytes))
  }

  /** Returns null for a chunk that was changed, is of another place, or is full where it is the last, or the other way round. */
  async open(chunk: number, sealed: Bytes, isLast: boolean): Promise<Bytes | null> {
    if (sealed.byteLength < SEALED_CHUNK_BYTES !== isLast || sealed.byteLength > SEALED_CHUNK_BYTES)
      return null
    try {
      return new Uint8Array(await crypto.subtle.decrypt(this.#params(chunk), this.key, sealed))
    } catch {
      return null
    }
  }

  #params(chunk: number): AesGcmParams {
    const counter = bigEndian(chunk, NONCE_BYTES)
    return { name: 'AES-GCM', iv: this.nonce.map((byte, at) => byte ^ (counter[at] ?? 0)) }
  }
}

async function parts(fileKey: Bytes, salt: Bytes) {
  const name = utf8('c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0')
  const info = concat(name, salt, utf8('beam-e2e/1 file'))
  const derived = await expand(fileKey, info, KEY_BYTES + NONCE_BYTES + COMMITMENT_BYTES)
  const raw = derived.slice(0, KEY_BYTES)
  const key = await crypto.subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt', 'decrypt'])
  const nonce = derived.slice(KEY_BYTES, KEY_BYTES + NONCE_BYTES)
  return { key, nonce, commitment: derived.slice(KEY_BYTES + NONCE_BYTES) }
}
