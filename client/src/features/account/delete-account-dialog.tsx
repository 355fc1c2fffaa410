import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { DialogFoot } from '../../ui/dialog-foot'
import { useHouse } from '../actions'
import css from './account-form.module.css'
import { PasswordField } from './password-field'
import { useForm } from './use-form'

/** Asks for the password before an account goes. It closes without remembering what was typed. */
export function DeleteAccountDialog({ onClose }: { onClose: () => void }) {
  const { actions } = useHouse()
  const { form, field, fields, sending, submit } = useForm(
    { password: '' },
    ({ password = '' }) => (password.trim() === '' ? { password: BLANK } : {}),
    ({ password }) => actions.account.deleteAccount(password),
  )
  return (
    <Dialog
      title="Delete Account"
      sub="Your beams, notes, shares and uploads are removed for good. This cannot be undone."
      place="upper"
      asks
      onClose={onClose}
    >
      <form ref={form} className={css.confirm} onSubmit={submit} noValidate>
        <PasswordField
          label="Password"
          hint="To confirm that it is you"
          {...field('password')}
          autoComplete="current-password"
          autoFocus
        />
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
