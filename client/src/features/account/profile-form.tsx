import { t } from '@lingui/core/macro'
import type { User } from '../../protocol/bindings'
import { Button } from '../../ui/button'
import { Field } from '../../ui/field'
import { useApp } from '../actions'
import formCss from './account-form.module.css'
import { FormProblem } from './form-problem'
import css from './profile.module.css'
import { useForm } from './use-form'
import { profileProblems } from './validation'

/** The form that changes names and email address. Cancel discards what was typed. */
export function ProfileForm({ user, onDone }: { user: User; onDone: () => void }) {
  const { actions } = useApp()
  const { first_name, last_name, username, email } = user
  const start = { first_name, last_name, username, email }
  const { form, field, whole, sending, submit } = useForm(start, profileProblems, async (fields) => {
    const outcome = await actions.account.changeProfile(fields)
    if (outcome.ok) onDone()
    return outcome
  })
  return (
    <form ref={form} className={formCss.fields} onSubmit={submit} noValidate>
      <div className={formCss.two}>
        <Field label={t`First name`} {...field('first_name')} autoComplete="given-name" autoFocus />
        <Field label={t`Last name`} {...field('last_name')} autoComplete="family-name" />
      </div>
      <Field
        label={t`Username`}
        {...field('username')}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
      />
      <Field label={t`Email`} type="email" {...field('email')} autoComplete="email" />
      <FormProblem>{whole}</FormProblem>
      <div className={css.foot}>
        <Button look="ghost" onClick={onDone}>
          {t`Cancel`}
        </Button>
        <Button look="primary" type="submit" disabled={sending}>
          {sending ? t`Saving...` : t`Save Changes`}
        </Button>
      </div>
    </form>
  )
}
