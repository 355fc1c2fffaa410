/** What is sent as a password (E16): what was typed, or for an account with a vault a part of it that says nothing of the vault. */
import { t } from '@lingui/core/macro'
import { askWay } from '../transport/account-calls'
import type { VaultDoor } from '../transport/secrets-door'
import { hasKnownVault, rememberVault } from './known-vaults'

export interface Passwords {
  /** Returns what is sent. @param isFromOperator whether the password is one that the server has seen anyway */
  prove(username: string, password: string, isFromOperator?: boolean): Promise<string>
  /**
   * Somebody is logged in by what was sent last of an account with a vault. Once this resolves, also a page that is loaded anew can
   * open the vault.
   */
  accepted(username: string): Promise<void>
  /** Somebody is logged in, to the account that they have named, by a password that was sent as it was typed. */
  acceptedAsTyped(username: string): Promise<void>
  /** The account of whoever is logged in is gone. Once this resolves, nothing of its vault is on this device. */
  accountGone(): Promise<void>
}

/** Sends passwords as they are typed. */
export const AS_TYPED: Passwords = {
  prove: async (_, password) => password,
  accepted: async () => {},
  acceptedAsTyped: async () => {},
  accountGone: async () => {},
}

/** The server wants a password as it was typed, and this device knows that the account has a vault. */
export class WantsPassword extends Error {}

/** The account has a vault, and nothing may be sent as its password from this page. Its message is for the person, in the language of the page. */
export class NothingToSend extends Error {}

export function passwordsFor(
  vault: Pick<VaultDoor, 'prove' | 'keepOpener' | 'loggedInAsTyped' | 'leaveVault'>,
): Passwords {
  return {
    async prove(username, password, isFromOperator = false) {
      const { stretch } = await askWay(username)
      if (stretch === null) {
        if (hasKnownVault(username) && !isFromOperator) throw new WantsPassword()
        return password
      }
      if (globalThis.crypto?.subtle === undefined)
        throw new NothingToSend(t`Vaults need an encrypted page (https).`)
      return vault.prove(password, stretch)
    },
    async accepted(username) {
      rememberVault(username)
      // Where the browser keeps nothing, the vault is open as long as the page.
      await vault.keepOpener().catch(() => {})
    },
    accountGone: () => vault.leaveVault().catch(() => {}),
    acceptedAsTyped: (username) => vault.loggedInAsTyped(username).catch(() => {}),
  }
}
