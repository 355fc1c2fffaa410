/** The key and the salt that the item of a sealed file has (E7), and what follows from them. */
import type { FileSeal } from '../protocol/item'
import { type Bytes, fromBase64Url, randomBytes, toBase64Url, utf8 } from './bytes'
import { FileCipher, KEY_BYTES, SALT_BYTES } from './file-chunks'
import { expand } from './hkdf'

/** BLAKE3 takes keys of this length alone. */
const PIECES_KEY_BYTES = 32

export interface FileKeys {
  /** Seals and opens the chunks of the file. */
  readonly cipher: FileCipher
  /**
   * The key of the hashes of its pieces: without one, whoever carries them could find out whether the file is one that they
   * know.
   */
  readonly pieces: Bytes
}

/** Makes the seal of a file. No other bytes may ever be sealed with it: nonces would repeat. */
export function newFileSeal(): FileSeal {
  return { key: toBase64Url(randomBytes(KEY_BYTES)), salt: toBase64Url(randomBytes(SALT_BYTES)) }
}

/** @throws where the page has no WebCrypto, or the seal is not base64url */
export async function fileKeysOf(seal: FileSeal): Promise<FileKeys> {
  const [key, salt] = [fromBase64Url(seal.key), fromBase64Url(seal.salt)]
  if (!key || !salt) throw new Error('The seal of a file cannot be read.')
  const [cipher, pieces] = await Promise.all([
    FileCipher.sealing(key, salt),
    expand(key, utf8('beam-e2e/1 pieces'), PIECES_KEY_BYTES),
  ])
  return { cipher, pieces }
}
