/** The keys of a saved beam, sealed by its owner to itself and to the people who may open it (E18). */
import { compareStates } from '../crypto/shared-keys'
import type { OwnEntry, OwnState, Vault } from '../crypto/vault'
import type { BeamVault, BeamVaultChange } from '../protocol/bindings'

export interface Sealing {
  readonly vault: Vault
  /** Of the account whose vault it is. */
  readonly username: string
  /** What the server says of now. */
  readonly there: BeamVault
  /** What lay in the vault. */
  readonly before: OwnEntry | null
  /** The public keys of the people who may open the beam, as its owner knows. */
  readonly people: readonly string[]
}

/** How often the keys were sealed then, and what takes the place of what was there; null where that is the same. */
export interface Sealed {
  readonly writes: number
  readonly change: BeamVaultChange | null
}

export async function sealedToVaults(
  state: OwnState,
  { vault, username, there, before, people: known }: Sealing,
): Promise<Sealed> {
  // Whoever has no share any more gets nothing, and neither does another vault under the same name.
  const receivers = there.people.filter(({ public_key: to }) => to !== null && known.includes(to))
  const isForSame = receivers.length === before?.people.length && receivers.every(({ has_keys }) => has_keys)
  if (before && isForSame && isSame(before, state)) return { writes: before.writes, change: null }
  const people = receivers.map(({ username: name, public_key }) => ({ username: name, to: public_key ?? '' }))
  const writes = Math.max(state.writes, before?.writes ?? 0) + 1
  const forOwn = { ...state, writes, people: people.map(({ to }) => to) }
  const keys = await Promise.all([
    vault.sealOwn(forOwn).then((sealed) => ({ username, to: vault.publicKey, keys: sealed })),
    ...people.map(async (person) => ({ ...person, keys: await vault.seal(person.to, state) })),
  ])
  return { writes, change: { version: there.version + 1, keys } }
}

/** Whether whoever opens one state needs nothing of the other, and no older one was shown in its place. */
function isSame(one: OwnState, other: OwnState): boolean {
  return (
    compareStates(one, other) === 0 &&
    one.keys.length === other.keys.length &&
    one.writes >= other.writes &&
    one.isDeposited === other.isDeposited
  )
}
