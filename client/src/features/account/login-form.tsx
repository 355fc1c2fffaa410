import { t } from '@lingui/core/macro'
import { Link } from 'react-router'
import { Button } from '../../ui/button'
import { Field } from '../../ui/field'
import { useApp } from '../actions'
import { paths } from '../paths'
import css from './account-form.module.css'
import { Entrance, OtherWayIn } from './entrance'
import { FormProblem } from './form-problem'
import { useOperatorPassword } from './operator-password'
import { PasswordField } from './password-field'
import { useForm } from './use-form'
import { loginProblems } from './validation'

/** The login form. After the login the route redirects. */
export function LoginForm() {
  const { actions } = useApp()
  const { form, fields, field, whole, sending, submit } = useForm(
    { username: '', password: '' },
    loginProblems,
    async ({ username, password }) =>
      operator.heard(await actions.account.logIn(username.trim(), password, operator.isFromOperator)),
  )
  const operator = useOperatorPassword(fields.username)
  const forgot = (
    <button type="button" className={css.forgot} onClick={() => actions.account.comingSoon(t`Coming soon!`)}>
      {t`Forgot password?`}
    </button>
  )
  return (
    <Entrance title={t`Sign In`} sub={t`To save, list and share your beams.`}>
      <form ref={form} className={css.fields} onSubmit={submit} noValidate>
        <Field
          label={t`Username`}
          {...field('username')}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
        />
        <PasswordField
          label={t`Password`}
          {...field('password')}
          autoComplete="current-password"
          side={forgot}
        />
        <FormProblem>{whole}</FormProblem>
        {operator.box}
        <Button look="primary" type="submit" className={css.submit} disabled={sending}>
          {sending ? t`Signing in...` : t`Sign In`}
        </Button>
      </form>
      <OtherWayIn />
      <p className={css.other}>
        {t`No account yet?`} <Link to={paths.register}>{t`Register`}</Link>
      </p>
    </Entrance>
  )
}
