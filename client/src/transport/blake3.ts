/** BLAKE3, by which pieces of files are told apart (F19). */
import { createBLAKE3, type IHasher } from 'hash-wasm'
import type { PieceHash } from '../protocol/piece-checks'

/** Computes the hash of some bytes, at once as soon as it is loaded. */
export type Hash = (bytes: Uint8Array) => Promise<PieceHash>

let loading: Promise<IHasher> | null = null

/** @throws when the browser refuses WebAssembly */
export const blake3: Hash = async (bytes) => {
  loading ??= createBLAKE3()
  return (await loading).init().update(bytes).digest('binary')
}
