/** Where keys of saved beams go in place of a deposit, where the person at this device has a vault (E18). */
import type { SavedKeys, SavedShared } from '../crypto/saved-keys'
import type { Changes, VaultTag } from '../crypto/shared-keys'
import type { OwnEntry, OwnState } from '../crypto/vault'
import type { BeamId } from '../protocol/bindings'

/** What lies in the vault by now. */
export interface Written extends VaultTag {
  readonly changes: Changes
}

/** Where the keys of a saved beam go. */
export type KeysWent =
  /** Into vaults. */
  | ({ readonly go: 'into-vaults' } & Written)
  /** To the server as they are, or nowhere. */
  | { readonly go: 'to-server' | 'nowhere' }
  /** Into no vault yet: the server may have the key that seals, and new ones are to be made first. */
  | { readonly go: 'exposed' }
  /**
   * Into the person's own vault, and not yet: the server shows the beam as another person's, or what it shows there nothing may take the
   * place of.
   */
  | { readonly go: 'not-yet' }

/** What lies in vaults, as far as it concerns the person at this device. */
export type Vaulted =
  /** This person has sealed it, to the vault with that public key. */
  | { readonly is: 'own'; readonly entry: OwnEntry; readonly vault: string }
  /** It says that another account has. */
  | { readonly is: 'handed'; readonly keys: SavedShared }
  /** Something for others, or what this device cannot open. */
  | { readonly is: 'closed' }

/** What is to be sealed of a beam. */
export type ForVault =
  | { readonly is: 'state'; readonly state: OwnState }
  /** Nothing yet: the server may have the key that seals. */
  | { readonly is: 'exposed' }
  /** What lies there is not of this beam, as far as this device can tell: nothing may take its place. */
  | { readonly is: 'other' }

/** What a device knows by itself of where the keys of a beam may go. */
export interface KnownPlace extends Pick<SavedKeys, 'isVaulted' | 'maySend'> {
  /** Whether the person at this device has saved the beam here. */
  readonly isMine: boolean
}

/** By what a device knows that what lies in the vault is of the beam, and as new as what it has seen. */
export type KnownEntry = Pick<SavedKeys, 'tagIn' | 'ends'>

/** The vault of the person at this device (E17). */
export interface OwnVault {
  /** The account of the person; null where nobody has said yet who is logged in. */
  readonly person: string | null
  isOpen(): Promise<boolean>
  /** What lies in the vault shows that the beam is the person's own. */
  foundOwn(beam: BeamId): Promise<void>
  /**
   * Whether the keys of a beam belong into the vault, whatever the server says of whose the beam is.
   * @param isMine whether the person here has saved it
   */
  isFor(beam: BeamId, isMine: boolean): Promise<boolean>
  /**
   * Returns what lies there, once the page has told which beams are own ones; null where there is nothing. @throws when the server does not
   * tell, also whether there is a vault: that there are no keys nobody may believe then
   */
  read(beam: BeamId, isMine: boolean): Promise<Vaulted | null>
  /**
   * Seals keys to those who are to have them.
   * @param merged takes what lies in the vault, and its public key, and returns what is to be there
   * @throws when it is not known yet where they go, or the server does not take them
   */
  write(
    beam: BeamId,
    known: KnownPlace,
    merged: (there: OwnEntry | null, vault: string) => Promise<ForVault>,
  ): Promise<KeysWent>
  /**
   * Ends that a person can open a beam: seals what lies in the vault again, without that person, where it is surely the newest of this beam.
   * @param known what this device knows of it, @param end the id of this end, which it then knows too
   * @throws when the server does not take it
   */
  distrust(beam: BeamId, username: string, known: KnownEntry, end: string): Promise<void>
}

export const NO_VAULT: OwnVault = {
  person: null,
  isOpen: async () => false,
  foundOwn: async () => {},
  isFor: async () => false,
  read: async () => null,
  write: async (_, known) => placeWithoutVault(known),
  distrust: async () => {},
}

/** Where keys go that go into no vault of the person here. Those that are in the vault of another one are given to nobody else. */
export function placeWithoutVault({ isVaulted, maySend }: KnownPlace): KeysWent {
  return { go: maySend && !isVaulted ? 'to-server' : 'nowhere' }
}
