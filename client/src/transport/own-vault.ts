/** Where keys of saved beams go in place of a deposit, where the person at this device has a vault. */
import type { OpenedKeys, SavedShared } from '../crypto/saved-keys'
import type { BeamId } from '../protocol/bindings'

/** Where the keys of a saved beam go: into vaults, to the server as they are, or nowhere. */
export type KeysGo = 'into-vaults' | 'to-server' | 'nowhere'

/** The vault of the person at this device (E17). */
export interface OwnVault {
  /** Whether what this person saves goes into vaults. */
  isOpen(): Promise<boolean>
  /** Returns the keys that are sealed to it; null where there are none. @throws when the server does not tell */
  read(beam: BeamId): Promise<OpenedKeys | null>
  /**
   * Seals keys to those who are to have them.
   * @param isVaulted whether they are in vaults already, and may go nowhere else
   * @throws when the server does not take them
   */
  write(beam: BeamId, keys: SavedShared, isVaulted: boolean): Promise<KeysGo>
}

export const NO_VAULT: OwnVault = {
  isOpen: async () => false,
  read: async () => null,
  write: async () => 'to-server',
}
