import { t } from '@lingui/core/macro'
import Eye from 'lucide-react/icons/eye'
import EyeOff from 'lucide-react/icons/eye-off'
import { type ComponentProps, useState } from 'react'
import { Field } from '../../ui/field'
import { IconButton } from '../../ui/icon-button'

/** A password field with a button that shows the password. */
export function PasswordField(props: Omit<ComponentProps<typeof Field>, 'type' | 'end'>) {
  const [shown, setShown] = useState(false)
  const toggle = (
    <IconButton
      icon={shown ? EyeOff : Eye}
      label={shown ? t`Hide password` : t`Show password`}
      aria-pressed={shown}
      onClick={() => setShown(!shown)}
    />
  )
  return (
    <Field
      autoCapitalize="none"
      spellCheck={false}
      {...props}
      type={shown ? 'text' : 'password'}
      end={toggle}
    />
  )
}
