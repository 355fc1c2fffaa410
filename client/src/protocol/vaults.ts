/** What the page knows of vaults (E17), of which the worker of the keys has the secrets. */

/** What the page knows of the vault of its person. */
export type VaultState =
  /** The server does not tell, and this device does not know. */
  | { readonly is: 'unknown' }
  | { readonly is: 'none' }
  /** There is one, and this device has not opened it: the recovery words do, or the password at the next login. */
  | { readonly is: 'locked'; readonly needsWords: boolean }
  | { readonly is: 'open'; readonly fingerprint: string }

/** How a change of the vault ended: `words-lost` where what was begun with the words that are written down is gone, and was never stored. */
export type VaultOutcome = 'done' | 'wrong-password' | 'wrong-words' | 'words-lost' | 'failed'

/** A person with access to a beam, as far as vaults are concerned. */
export interface PersonKeys {
  readonly username: string
  /** Of what the server says is the public key of the person's vault; null without one. */
  readonly fingerprint: string | null
  /** Whether the keys of the beam are sealed to it. */
  readonly hasKeys: boolean
}

/**
 * How the keys of a saved beam are kept: `not-in-vault` where what is kept of an own one does not open with the vault, as where it was sealed
 * to an earlier one, and nothing is known of who can read them.
 */
export type HowKept = 'readable' | 'not-in-vault' | 'sealed' | 'sealed-since'

/** Whether the keys are in vaults, as far as this device has opened what is kept. */
export function isInVault(how: HowKept | undefined): boolean {
  return how === 'sealed' || how === 'sealed-since'
}
