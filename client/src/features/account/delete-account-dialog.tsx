import { t } from '@lingui/core/macro'
import { Button } from '../../ui/button'
import { cx } from '../../ui/cx'
import { Dialog, DialogFoot } from '../../ui/dialog'
import { useApp } from '../actions'
import css from './account-form.module.css'
import { FormProblem } from './form-problem'
import { useOperatorPassword } from './operator-password'
import { PasswordField } from './password-field'
import { useForm } from './use-form'
import type { Fields, Problems } from './validation'

/** Asks for the password before the account is deleted. Closing the dialog clears what was typed. */
export function DeleteAccountDialog({ onClose }: { onClose: () => void }) {
  const { actions } = useApp()
  const operator = useOperatorPassword()
  const { form, field, fields, whole, sending, submit } = useForm(
    { password: '' },
    blankProblem,
    async ({ password }) =>
      operator.heard(await actions.account.deleteAccount(password, operator.isFromOperator)),
  )
  return (
    <Dialog
      title={t`Delete Account`}
      sub={t`This removes your profile, your beams with their notes, and your shares. This action cannot be undone.`}
      place="upper"
      asks
      onClose={onClose}
    >
      <form ref={form} className={cx(css.fields, css.confirm)} onSubmit={submit} noValidate>
        <PasswordField
          label={t`Password`}
          placeholder={t`Your password`}
          {...field('password')}
          autoComplete="current-password"
          autoFocus
        />
        <FormProblem>{whole}</FormProblem>
        {operator.box}
        <DialogFoot>
          <Button look="ghost" onClick={onClose}>
            {t`Cancel`}
          </Button>
          <Button look="danger" type="submit" disabled={sending || fields.password.trim() === ''}>
            {sending ? t`Deleting...` : t`Delete Account`}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  )
}

function blankProblem({ password = '' }: Fields): Problems {
  return password.trim() === '' ? { password: t`Please enter your password to confirm account deletion` } : {}
}
