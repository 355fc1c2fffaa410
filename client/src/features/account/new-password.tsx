import { t } from '@lingui/core/macro'
import type { ComponentProps } from 'react'
import { PasswordField } from './password-field'
import { PasswordMeter } from './password-meter'

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
