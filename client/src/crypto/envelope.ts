/**
 * Seals what goes through the server, and opens it. An envelope is `e2e1.` and base64url of its header, the ciphertext and
 * the tag. The header names the beam key, the page that sealed it, and its number there, which is the nonce: a page has random
 * bytes of its own and counts in memory alone, so that a reload, a second tab or a restored session never uses a nonce again.
 */
import { type Bytes, bigEndian, concat, fromBase64Url, randomBytes, toBase64Url, utf8 } from './bytes'
import { derive } from './hkdf'
import { pad, unpad } from './padding'

/** What an envelope is for. One that was sealed for something else does not open. */
export type Kind = 'share_clipboard' | 'delete_note' | 'signal' | 'e2e'

const PREFIX = 'e2e1.'
const VERSION = 1
const KEY_ID_BYTES = 8
const PAGE_BYTES = 16
const NUMBER_BYTES = 8
const HEADER_BYTES = 1 + KEY_ID_BYTES + PAGE_BYTES + NUMBER_BYTES
/** The header is a multiple of three bytes, so in base64 it ends between two characters. */
const HEADER_CHARACTERS = (HEADER_BYTES / 3) * 4
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** What the header of an envelope says. Nothing of it is certain before the envelope is open. */
export interface Header {
  /** Base64url of the id of the beam key. */
  readonly keyId: string
  /** Base64url of the random bytes of the page that sealed it. */
  readonly page: string
  /** Counts what that page has sealed, from 0. */
  readonly number: number
}

export interface Opened {
  readonly header: Header
  readonly content: Bytes
}

/** Returns the id of a beam key, which tells nothing of the key. */
export async function keyIdOf(beamKey: Bytes): Promise<string> {
  return toBase64Url(await keyIdBytes(beamKey))
}

function keyIdBytes(beamKey: Bytes): Promise<Bytes> {
  return derive(beamKey, 'beam-e2e/1 kid', KEY_ID_BYTES)
}

/** Seals for one beam key. There is one for each key in a page. */
export class Sealer {
  #number = 0

  private constructor(
    readonly keyId: Bytes,
    readonly page: Bytes,
    readonly key: CryptoKey,
  ) {}

  /** @param page random bytes that nobody else has */
  static async of(beamKey: Bytes, page = randomBytes(PAGE_BYTES)): Promise<Sealer> {
    return new Sealer(await keyIdBytes(beamKey), page, await messageKey(beamKey, page, 'encrypt'))
  }

  async seal(kind: Kind, content: Uint8Array): Promise<string> {
    // Taken before anything is awaited, so that no two have the same.
    const number = bigEndian(this.#number, NUMBER_BYTES)
    this.#number += 1
    const header = concat(Uint8Array.of(VERSION), this.keyId, this.page, number)
    const sealed = await crypto.subtle.encrypt(params(kind, header), this.key, pad(content))
    return PREFIX + toBase64Url(concat(header, new Uint8Array(sealed)))
  }
}

/** Opens for one beam key. The keys of the pages that sealed are remembered. */
export class Opener {
  /** By the page. What comes together is opened at once, and its key is made once. */
  readonly #keys = new Map<string, Promise<CryptoKey>>()
  readonly #proven = new Set<string>()

  constructor(readonly beamKey: Bytes) {}

  /** Returns null for what is no envelope of this kind under this key, or was changed on its way. */
  async open(kind: Kind, envelope: string): Promise<Opened | null> {
    const parts = partsOf(envelope)
    if (!parts) return null
    const { header, bytes } = parts
    try {
      const key = await this.#keyOf(header.page)
      const sealed = bytes.subarray(HEADER_BYTES)
      const opened = await crypto.subtle.decrypt(params(kind, bytes.slice(0, HEADER_BYTES)), key, sealed)
      this.#proven.add(header.page)
      const content = unpad(new Uint8Array(opened))
      return content && { header, content }
    } catch {
      // Anybody can name a page. Only one that has the key can seal there.
      if (!this.#proven.has(header.page)) this.#keys.delete(header.page)
      return null
    }
  }

  #keyOf(page: string): Promise<CryptoKey> {
    const key =
      this.#keys.get(page) ?? messageKey(this.beamKey, fromBase64Url(page) ?? new Uint8Array(0), 'decrypt')
    this.#keys.set(page, key)
    return key
  }
}

/** Names an envelope by its header, which no other has. */
export function envelopeName(envelope: string): string {
  return envelope.slice(PREFIX.length, PREFIX.length + HEADER_CHARACTERS)
}

/** Returns what the header says by which an envelope is named; null for what is no such name. */
export function headerNamed(name: string): Header | null {
  const bytes = fromBase64Url(name)
  return bytes?.byteLength === HEADER_BYTES ? headerIn(bytes) : null
}

/** Returns what the header of an envelope says; null for what has none. It says nothing of what comes after the header. */
export function headerOf(envelope: string): Header | null {
  return envelope.startsWith(PREFIX) ? headerNamed(envelopeName(envelope)) : null
}

function partsOf(envelope: string): { header: Header; bytes: Bytes } | null {
  if (!envelope.startsWith(PREFIX)) return null
  const bytes = fromBase64Url(envelope.slice(PREFIX.length))
  if (!bytes || bytes.byteLength < HEADER_BYTES + TAG_BYTES) return null
  const header = headerIn(bytes)
  return header && { header, bytes }
}

/** Reads the header with which some bytes begin. */
function headerIn(bytes: Bytes): Header | null {
  if (bytes[0] !== VERSION) return null
  const pageAt = 1 + KEY_ID_BYTES
  const numberAt = pageAt + PAGE_BYTES
  const number = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(numberAt))
  if (!Number.isSafeInteger(number)) return null
  const keyId = toBase64Url(bytes.subarray(1, pageAt))
  const page = toBase64Url(bytes.subarray(pageAt, numberAt))
  return { keyId, page, number }
}

async function messageKey(beamKey: Bytes, page: Bytes, use: 'encrypt' | 'decrypt'): Promise<CryptoKey> {
  const bytes = await derive(beamKey, 'beam-e2e/1 msg', 32, page)
  return crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, [use])
}

function params(kind: Kind, header: Bytes): AesGcmParams {
  const iv = new Uint8Array(NONCE_BYTES)
  iv.set(header.subarray(HEADER_BYTES - NUMBER_BYTES), NONCE_BYTES - NUMBER_BYTES)
  return { name: 'AES-GCM', iv, additionalData: concat(utf8('beam-e2e/1'), utf8(kind), header) }
}
