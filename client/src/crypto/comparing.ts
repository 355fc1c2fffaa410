/**
 * Lets two people compare what their devices show, where a joiner has no link: commit, accept, reveal, as in the short
 * authentication strings of Matrix. The joiner commits itself to its key before it learns the other one, so that a server
 * in the middle has one guess in 2^24 at keys for which both see the same.
 */
import { type Bytes, isEqual, utf8 } from './bytes'
import { sha256 } from './digest'
import { derive } from './hkdf'
import type { Psk } from './welcome'

/** What one device has given to the comparison. */
export interface Share {
  /** 65 bytes. */
  readonly publicKey: Bytes
  /** 32 random bytes. */
  readonly nonce: Bytes
}

export interface Compared {
  /** Places of four of the 64 signs. */
  readonly signs: readonly number[]
  readonly psk: Psk
}

/** @param beam the 16 bytes of the beam's id */
export function commitmentOf(beam: Bytes, { publicKey, nonce }: Share): Promise<Bytes> {
  return sha256(utf8('beam-e2e/1 sas-commit'), beam, publicKey, nonce)
}

/** Whether a joiner reveals what it has committed itself to. */
export async function isCommitted(beam: Bytes, revealed: Share, commitment: Uint8Array): Promise<boolean> {
  return isEqual(await commitmentOf(beam, revealed), commitment)
}

/** Returns what both devices show, and the pre-shared key of the welcome. @throws when a key is none */
export async function compare(
  beam: Bytes,
  { joiner, member }: { readonly joiner: Share; readonly member: Share },
  mine: CryptoKey,
  theirs: Bytes,
): Promise<Compared> {
  const curve = { name: 'ECDH', namedCurve: 'P-256' }
  const publicKey = await crypto.subtle.importKey('raw', theirs, curve, false, [])
  const shared = new Uint8Array(
    await crypto.subtle.deriveBits({ name: 'ECDH', public: publicKey }, mine, 256),
  )
  const said = [member.publicKey, member.nonce, joiner.publicKey, joiner.nonce]
  const commitment = await commitmentOf(beam, joiner)
  const transcript = await sha256(utf8('beam-e2e/1 sas-transcript'), beam, commitment, ...said)
  const [signs, psk, id] = await Promise.all([
    derive(shared, 'beam-e2e/1 sas', 3, transcript),
    derive(shared, 'beam-e2e/1 sas-psk', 32, transcript),
    derive(shared, 'beam-e2e/1 sas-id', 8, transcript),
  ])
  return { signs: sixBitsEach(signs), psk: { id, psk } }
}

function sixBitsEach([first = 0, second = 0, third = 0]: Bytes): readonly number[] {
  const bits = first * 65_536 + second * 256 + third
  return [18, 12, 6, 0].map((shift) => (bits >>> shift) & 63)
}
