/**
 * What a password becomes before anything of it is sent (E16): argon2id, which WebCrypto lacks, and then two parts that say
 * nothing of each other. The server gets the one for the login, and what opens the vault never leaves the worker.
 * The only file that imports `@noble/hashes`.
 */
import { type Bytes, utf8 } from './bytes'
import { derive } from './hkdf'

/** How a password is stretched. */
export interface Stretch {
  readonly salt: Bytes
  readonly memoryKib: number
  readonly passes: number
}

/** The two parts of a stretched password. */
export interface Parts {
  /** What the server checks at login. */
  readonly login: Bytes
  /** What opens the vault. */
  readonly vault: Bytes
}

export const SALT_BYTES = 16
/** RFC 9106, section 4, the second recommendation, with one lane: a worker is one thread. About a second on a desktop. */
export const MEMORY_KIB = 64 * 1024
export const PASSES = 3

const PART_BYTES = 32
/** More would be a server that wants to keep a device busy. */
const MOST_MEMORY_KIB = 1024 * 1024
const MOST_PASSES = 16
/** The worker does other things too: it goes on with the stretching after so many milliseconds. */
const TURN_MS = 10

/** Whether a password may be stretched so: a server could ask for so little that all passwords can be tried. */
export function isEnough({ salt, memoryKib, passes }: Stretch): boolean {
  return (
    salt.byteLength === SALT_BYTES &&
    memoryKib >= MEMORY_KIB &&
    memoryKib <= MOST_MEMORY_KIB &&
    passes >= PASSES &&
    passes <= MOST_PASSES
  )
}

/** Computes a hash of a password that takes long and much memory. */
export type Hash = (password: Bytes, stretch: Stretch) => Promise<Uint8Array>

/** Argon2id, loaded when it is needed. */
export const argon2id: Hash = async (password, { salt, memoryKib, passes }) => {
  const { argon2idAsync } = await import('@noble/hashes/argon2.js')
  const params = { m: memoryKib, t: passes, p: 1, dkLen: PART_BYTES, asyncTick: TURN_MS }
  return argon2idAsync(password, salt, params)
}

/** @throws when the server asks for too little or too much */
export async function stretched(password: string, stretch: Stretch, hash: Hash = argon2id): Promise<Parts> {
  if (!isEnough(stretch)) throw new Error('The password would be stretched too little or too much.')
  // Keyboards write the same letter in several ways.
  const secret = Uint8Array.from(await hash(utf8(password.normalize('NFC')), stretch))
  const [login, vault] = await Promise.all([
    derive(secret, 'beam-e2e/1 login', PART_BYTES),
    derive(secret, 'beam-e2e/1 vault-password', PART_BYTES),
  ])
  return { login, vault }
}
