import { t } from '@lingui/core/macro'
import { Dialog } from '../../ui/dialog'
import { useApp } from '../actions'
import { NewPasswordForm } from './new-password'
import vaultCss from './vault.module.css'

/** Gives the account and its vault another password. */
export function ChangePasswordDialog({ onClose }: { onClose: () => void }) {
  const { actions } = useApp()
  return (
    <Dialog title={t`Change Password`} place="upper" onClose={onClose}>
      <NewPasswordForm label={t`Change Password`} send={actions.vault.changePassword} onClose={onClose}>
        <p className={vaultCss.warning}>{lossWarning()}</p>
      </NewPasswordForm>
    </Dialog>
  )
}

/** Said wherever a password of a vault is chosen. */
export function lossWarning(): string {
  return t`Whoever forgets this password and has lost the recovery words loses what is in the saved beams. Nobody can bring it back.`
}
