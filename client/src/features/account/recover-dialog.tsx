import { t } from '@lingui/core/macro'
import { Button } from '../../ui/button'
import { Dialog, DialogFoot } from '../../ui/dialog'
import { Field } from '../../ui/field'
import { useApp } from '../actions'
import css from './account-form.module.css'
import { FormProblem } from './form-problem'
import { NewPassword, NO_PASSWORDS } from './new-password'
import { useForm } from './use-form'
import { newPasswordProblems } from './validation'

/** Opens the vault by its words, and gives it a new password. */
export function RecoverDialog({ onClose }: { onClose: () => void }) {
  const { actions } = useApp()
  const { form, field, whole, sending, submit } = useForm(
    { words: '', ...NO_PASSWORDS },
    newPasswordProblems,
    async ({ words, password, fresh }) => {
      const outcome = await actions.vault.recover(words, password, fresh)
      if (outcome.ok) onClose()
      return outcome
    },
  )
  return (
    <Dialog
      title={t`Open with recovery words`}
      sub={t`The operator of the server can give you a new password if you have forgotten yours. It opens the account, and the words open the vault.`}
      place="upper"
      onClose={onClose}
    >
      <form ref={form} className={css.fields} onSubmit={submit} noValidate>
        <Field
          label={t`Recovery words`}
          {...field('words')}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          autoFocus
        />
        <NewPassword field={field} current={t`Password from the operator`} />
        <FormProblem>{whole}</FormProblem>
        <DialogFoot>
          <Button look="ghost" onClick={onClose}>
            {t`Cancel`}
          </Button>
          <Button look="primary" type="submit" disabled={sending}>
            {sending ? t`Saving...` : t`Open the vault`}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  )
}
