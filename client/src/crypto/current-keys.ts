/** What counts in a beam as one device has it: the key that seals, the invite, and how they came to be. */
import { type Bytes, fromBase64Url } from './bytes'
import { keyIdOf, Sealer } from './envelope'
import { derive } from './hkdf'
import { type InviteKeys, inviteKeysOf } from './invite'
import type { Changes } from './shared-keys'

export const KEY_BYTES = 32

/** The secret of a link. */
export interface Invite {
  readonly secret: Bytes
  readonly keys: InviteKeys
}

/** What is made of a beam key and an invite, all of which takes time. */
export interface Made {
  readonly beamKey: Bytes
  readonly sealer: Sealer
  readonly invite: Invite
  /** The invite that follows of the key that seals. */
  readonly inviteOfKey: InviteKeys
}

/** It is replaced as a whole: whoever looks has all of it from before a change, or all from after it. */
export interface Current extends Made {
  readonly changes: Changes
  /** The devices that were removed before the key that seals was made. */
  readonly removed: readonly string[]
}

export async function makeCurrent(beamKey: Bytes, secret: Bytes): Promise<Made> {
  const [sealer, invite, inviteOfKey] = await Promise.all([
    Sealer.of(beamKey),
    inviteWith(secret),
    inviteOf(beamKey).then(inviteKeysOf),
  ])
  return { beamKey, sealer, invite, inviteOfKey }
}

export async function inviteWith(secret: Bytes): Promise<Invite> {
  return { secret, keys: await inviteKeysOf(secret) }
}

/**
 * Returns the invite that follows of a beam key. A device that has the keys from a deposit makes its links with it, and every device
 * of the beam knows it.
 */
export function inviteOf(beamKey: Bytes): Promise<Bytes> {
  return derive(beamKey, 'beam-e2e/1 invite', KEY_BYTES)
}

/** Returns beam keys by their ids; null where one of them is none. */
export async function namedKeys(keys: readonly string[]): Promise<ReadonlyMap<string, Bytes> | null> {
  const read = keys.map(keyOf).filter((key) => key !== null)
  if (read.length < keys.length) return null
  return new Map(await Promise.all(read.map(async (key) => [await keyIdOf(key), key] as const)))
}

/** Returns null for what is no key and no secret. */
export function keyOf(text: string): Bytes | null {
  const bytes = fromBase64Url(text)
  return bytes?.byteLength === KEY_BYTES ? bytes : null
}
