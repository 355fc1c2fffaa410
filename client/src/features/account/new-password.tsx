import { t } from '@lingui/core/macro'
import type { ComponentProps, ReactNode } from 'react'
import { Button } from '../../ui/button'
import { DialogFoot } from '../../ui/dialog'
import type { FormOutcome } from '../account-actions'
import css from './account-form.module.css'
import { FormProblem } from './form-problem'
import { PasswordField } from './password-field'
import { PasswordMeter } from './password-meter'
import { useForm } from './use-form'
import { newPasswordProblems } from './validation'

export const NO_PASSWORDS = { password: '', fresh: '', confirm: '' }

type Props = Pick<ComponentProps<typeof PasswordField>, 'name' | 'value' | 'error' | 'onChange'>

/** The password of now, and twice the new one. */
export function NewPassword({
  field,
  current = t`Current password`,
}: {
  field: (name: keyof typeof NO_PASSWORDS) => Props
  /** What the password of now is called. */
  current?: string
}) {
  const fresh = field('fresh')
  return (
    <>
      <PasswordField label={current} {...field('password')} autoComplete="current-password" />
      <PasswordField label={t`New password`} {...fresh} autoComplete="new-password" />
      {!fresh.error && <PasswordMeter password={String(fresh.value)} />}
      <PasswordField label={t`Confirm password`} {...field('confirm')} autoComplete="new-password" />
    </>
  )
}

/** A form that gives a vault a new password, and closes its dialog when that is done. */
export function NewPasswordForm({
  label,
  send,
  onClose,
  children,
}: {
  /** What its button does. */
  label: string
  send: (password: string, fresh: string) => Promise<FormOutcome>
  onClose: () => void
  /** What is said below the fields. */
  children?: ReactNode
}) {
  const { form, field, whole, sending, submit } = useForm(
    NO_PASSWORDS,
    newPasswordProblems,
    async ({ password, fresh }) => {
      const outcome = await send(password, fresh)
      if (outcome.ok) onClose()
      return outcome
    },
  )
  return (
    <form ref={form} className={css.fields} onSubmit={submit} noValidate>
      <NewPassword field={field} />
      {children}
      <FormProblem>{whole}</FormProblem>
      <DialogFoot>
        <Button look="ghost" onClick={onClose}>
          {t`Cancel`}
        </Button>
        <Button look="primary" type="submit" disabled={sending}>
          {sending ? t`Saving...` : label}
        </Button>
      </DialogFoot>
    </form>
  )
}
