/** BLAKE3, by which pieces of files are told apart (F19). */
import { createBLAKE3, blake3 as hashWithKey, type IHasher } from 'hash-wasm'
import type { PieceHash } from '../protocol/piece-checks'

/** Computes the hash of some bytes, at once as soon as it is loaded. @param key 32 bytes; absent for a hash without one */
export type Hash = (bytes: Uint8Array, key?: Uint8Array) => Promise<PieceHash>

let loading: Promise<IHasher> | null = null

/** @throws when the browser refuses WebAssembly */
export const blake3: Hash = async (bytes, key) => {
  // A hasher has one key for ever, and memory of its own; this function shares one for all keys.
  if (key) return fromHex(await hashWithKey(bytes, 256, key))
  loading ??= createBLAKE3()
  return (await loading).init().update(bytes).digest('binary')
}

function fromHex(digits: string): PieceHash {
  return Uint8Array.from(digits.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
}
