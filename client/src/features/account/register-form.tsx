import { t } from '@lingui/core/macro'
import { Link } from 'react-router'
import { Button } from '../../ui/button'
import { cx } from '../../ui/cx'
import { Field } from '../../ui/field'
import { useApp } from '../actions'
import { paths } from '../paths'
import css from './account-form.module.css'
import { Entrance, OtherWayIn } from './entrance'
import { FormProblem } from './form-problem'
import { PasswordField } from './password-field'
import { PasswordMeter } from './password-meter'
import { PicturePicker } from './picture-picker'
import { useForm } from './use-form'
import { usePreparedPicture } from './use-prepared-picture'
import { registerProblems } from './validation'

const EMPTY = {
  first_name: '',
  last_name: '',
  username: '',
  email: '',
  password: '',
  confirm_password: '',
}

/** The form of a new account. After the registration the route redirects. */
export function RegisterForm() {
  const { actions } = useApp()
  const { picture, choose, ready } = usePreparedPicture(actions.account.preparePicture)
  const { form, field, fields, problems, settle, whole, sending, submit } = useForm(
    EMPTY,
    registerProblems,
    async (filled) => {
      const { confirm_password: _, ...account } = filled
      return actions.account.register({ ...account, profile_picture: await ready() })
    },
  )
  return (
    <Entrance title={t`Create Account`}>
      <form ref={form} className={css.fields} onSubmit={submit} noValidate>
        <PicturePicker
          picture={picture}
          error={problems.profile_picture ?? null}
          onPick={(file) => {
            void choose(file)
            settle('profile_picture')
          }}
        />
        <div className={css.two}>
          <Field label={t`First name`} {...field('first_name')} autoComplete="given-name" />
          <Field label={t`Last name`} {...field('last_name')} autoComplete="family-name" />
        </div>
        <div className={cx(css.two, css.long)}>
          <Field
            label={t`Username`}
            {...field('username')}
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
          />
          <Field label={t`Email`} type="email" {...field('email')} autoComplete="email" />
        </div>
        <PasswordField label={t`Password`} {...field('password')} autoComplete="new-password" />
        {!field('password').error && <PasswordMeter password={fields.password} />}
        <PasswordField
          label={t`Confirm password`}
          {...field('confirm_password')}
          autoComplete="new-password"
        />
        <FormProblem>{whole}</FormProblem>
        <Button look="primary" type="submit" className={css.submit} disabled={sending}>
          {sending ? t`Creating account...` : t`Create Account`}
        </Button>
      </form>
      <OtherWayIn />
      <p className={css.other}>
        {t`Already registered?`} <Link to={paths.login}>{t`Login`}</Link>
      </p>
    </Entrance>
  )
}
