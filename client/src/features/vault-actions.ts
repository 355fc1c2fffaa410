/** The actions on the vault of an account (E17). */
import type { BeamId } from '../protocol/bindings'
import type { FormOutcome } from './account-actions'

export interface VaultActions {
  /** Begins a vault. Resolves to its recovery words, which are shown this once; null after a toast where it cannot. */
  begin(): Promise<readonly string[] | null>
  /** Sets up the vault that was begun, with a password that the server has not seen. */
  create(password: string, fresh: string): Promise<FormOutcome>
  changePassword(password: string, fresh: string): Promise<FormOutcome>
  /** Opens the vault by its recovery words, and gives it a new password. */
  recover(words: string, password: string, fresh: string): Promise<FormOutcome>
  /**
   * Lets a person with a share open a beam whose keys are in vaults, if that person has one.
   * @param shown the fingerprint that was compared; absent where none was shown yet
   */
  handKeys(beam: BeamId, username: string, shown?: string): Promise<void>
  copyWords(words: readonly string[]): Promise<void>
}
