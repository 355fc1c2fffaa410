import { ChangePasswordDialog } from './change-password-dialog'
import { RecoverDialog } from './recover-dialog'
import { VaultDialog } from './vault-dialog'

/** Which dialog about the vault is open. */
export type OpenVaultDialog =
  | { readonly is: 'none' | 'changing' | 'recovering' }
  | { readonly is: 'setting-up'; readonly words: readonly string[]; readonly replaces: boolean }

/** The dialogs about the vault. One of them shows words that are shown only once, so their place must outlast the frame of the page. */
export function VaultDialogs({ open, onClose }: { open: OpenVaultDialog; onClose: () => void }) {
  switch (open.is) {
    case 'none':
      return null
    case 'changing':
      return <ChangePasswordDialog onClose={onClose} />
    case 'recovering':
      return <RecoverDialog onClose={onClose} />
    case 'setting-up':
      return <VaultDialog words={open.words} replaces={open.replaces} onClose={onClose} />
  }
}
