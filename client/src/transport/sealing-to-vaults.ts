/** The keys of a saved beam, sealed by its owner to itself and to the people who may open it (E18). */
import { compareStates } from '../crypto/shared-keys'
import { type OwnEntry, type OwnState, type Trusted, trustedIn, type Vault } from '../crypto/vault'
import type { BeamVault, BeamVaultChange } from '../protocol/bindings'

export interface Sealing {
  readonly vault: Vault
  /** Of the account whose vault it is. */
  readonly username: string
  /** What the server says of now. */
  readonly there: BeamVault
  /** What lay in the vault. */
  readonly before: OwnEntry | null
  /** The people who may open the beam, as its owner knows. */
  readonly people: Trusted
}

/** Returns what takes the place of what was there; null where that is the same. */
export async function sealedToVaults(
  state: OwnState,
  { vault, username, there, before, people: known }: Sealing,
): Promise<BeamVaultChange | null> {
  // Whoever has no share any more gets nothing, and neither does another vault under the same name.
  const receivers = there.people.flatMap(({ username: name, public_key: to, has_keys }) =>
    to !== null && known.has(to) ? [{ name, to, has_keys }] : [],
  )
  if (before && isForSame(before, receivers, known) && isSame(before, state)) return null
  const forOwn = {
    ...state,
    ends: [...new Set([...(before?.ends ?? []), ...state.ends])],
    people: receivers.map(({ to }) => to),
    names: receivers.map(({ to }) => known.get(to) ?? ''),
  }
  const keys = await Promise.all([
    vault.sealOwn(forOwn).then((sealed) => ({ username, to: vault.publicKey, keys: sealed })),
    ...receivers.map(async ({ name, to }) => ({ username: name, to, keys: await vault.seal(to, state) })),
  ])
  return { version: there.version + 1, keys }
}

interface Receiver {
  readonly to: string
  readonly has_keys: boolean
}

/** Whether the same people have the keys, and are known by the same names. */
function isForSame(before: OwnEntry, receivers: readonly Receiver[], known: Trusted): boolean {
  const names = trustedIn(before)
  const isKnown = ({ to, has_keys }: Receiver) => has_keys && names.get(to) === known.get(to)
  return receivers.length === before.people.length && receivers.every(isKnown)
}

/** Whether what was sealed knows of all ends of shares that this device knows of. */
export function knowsEnds({ ends }: OwnEntry, known: readonly string[]): boolean {
  return known.every((end) => ends.includes(end))
}

/** Whether whoever opens one state needs nothing of the other, and no older one was shown in its place. */
function isSame(one: OwnEntry, other: OwnState): boolean {
  return (
    compareStates(one, other) === 0 &&
    one.keys.length === other.keys.length &&
    knowsEnds(one, other.ends) &&
    one.isDeposited === other.isDeposited
  )
}
