import { Button } from '../../ui/button'
import { cx } from '../../ui/cx'
import { Dialog, DialogFoot } from '../../ui/dialog'
import { useApp } from '../actions'
import css from './account-form.module.css'
import { FormProblem } from './form-problem'
import { PasswordField } from './password-field'
import { useForm } from './use-form'

/** Asks for the password before the account is deleted. Closing the dialog clears what was typed. */
export function DeleteAccountDialog({ onClose }: { onClose: () => void }) {
  const { actions } = useApp()
  const { form, field, fields, whole, sending, submit } = useForm(
    { password: '' },
    ({ password = '' }) => (password.trim() === '' ? { password: BLANK } : {}),
    ({ password }) => actions.account.deleteAccount(password),
  )
  return (
    <Dialog
      title="Delete Account"
      sub="This removes your profile, your beams with their notes, and your shares. This action cannot be undone."
      place="upper"
      asks
      onClose={onClose}
    >
      <form ref={form} className={cx(css.fields, css.confirm)} onSubmit={submit} noValidate>
        <PasswordField
          label="Password"
          placeholder="Your password"
          {...field('password')}
          autoComplete="current-password"
          autoFocus
        />
        <FormProblem>{whole}</FormProblem>
        <DialogFoot>
          <Button look="ghost" onClick={onClose}>
            Cancel
          </Button>
          <Button look="danger" type="submit" disabled={sending || fields.password.trim() === ''}>
            {sending ? 'Deleting...' : 'Delete Account'}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  )
}

const BLANK = 'Please enter your password to confirm account deletion'
