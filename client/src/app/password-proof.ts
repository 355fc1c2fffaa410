/** What is sent as a password (E16): what was typed, or for an account with a vault a part of it that says nothing of the vault. */
import { t } from '@lingui/core/macro'
import { askWay } from '../transport/account-calls'
import type { VaultDoor } from '../transport/secrets-door'
import { hasKnownVault } from './known-vaults'

/** Returns what is sent. @param isFromOperator whether the password is one that the server has seen anyway */
export type Prove = (username: string, password: string, isFromOperator?: boolean) => Promise<string>

/** The server wants a password as it was typed, and this device knows that the account has a vault. */
export class WantsPassword extends Error {}

export function provesBy(vault: Pick<VaultDoor, 'prove'>): Prove {
  return async (username, password, isFromOperator = false) => {
    const { stretch } = await askWay(username)
    if (stretch === null) {
      if (hasKnownVault(username) && !isFromOperator) throw new WantsPassword()
      return password
    }
    if (globalThis.crypto?.subtle === undefined) throw new Error(t`Vaults need an encrypted page (https).`)
    return vault.prove(password, stretch)
  }
}
