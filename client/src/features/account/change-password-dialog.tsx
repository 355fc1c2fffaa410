import { t } from '@lingui/core/macro'
import { Button } from '../../ui/button'
import { Dialog, DialogFoot } from '../../ui/dialog'
import { useApp } from '../actions'
import css from './account-form.module.css'
import { FormProblem } from './form-problem'
import { NewPassword, NO_PASSWORDS } from './new-password'
import { useForm } from './use-form'
import { newPasswordProblems } from './validation'
import vaultCss from './vault.module.css'

/** Gives the account and its vault another password. */
export function ChangePasswordDialog({ onClose }: { onClose: () => void }) {
  const { actions } = useApp()
  const { form, field, whole, sending, submit } = useForm(
    NO_PASSWORDS,
    newPasswordProblems,
    async ({ password, fresh }) => {
      const outcome = await actions.vault.changePassword(password, fresh)
      if (outcome.ok) onClose()
      return outcome
    },
  )
  return (
    <Dialog title={t`Change Password`} place="upper" onClose={onClose}>
      <form ref={form} className={css.fields} onSubmit={submit} noValidate>
        <NewPassword field={field} />
        <p className={vaultCss.warning}>{lossWarning()}</p>
        <FormProblem>{whole}</FormProblem>
        <DialogFoot>
          <Button look="ghost" onClick={onClose}>
            {t`Cancel`}
          </Button>
          <Button look="primary" type="submit" disabled={sending}>
            {sending ? t`Saving...` : t`Change Password`}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  )
}

/** Said wherever a password of a vault is chosen. */
export function lossWarning(): string {
  return t`Whoever forgets this password and has lost the recovery words loses what is in the saved beams. Nobody can bring it back.`
}
