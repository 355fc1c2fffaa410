import CircleAlert from 'lucide-react/icons/circle-alert'
import { type ComponentProps, useId } from 'react'
import { cx } from './cx'
import css from './field.module.css'
import { Icon } from './icon'

interface FieldProps extends ComponentProps<'input'> {
  label: string
  hint?: string
  error?: string | null
  mono?: boolean
}

export function Field({ label, hint, error, mono = false, ...input }: FieldProps) {
  const id = useId()
  const below = useId()
  return (
    <div className={css.field}>
      <label htmlFor={id}>{label}</label>
      <input
        {...input}
        id={id}
        className={cx(css.input, mono && css.mono, error && css.bad)}
        aria-describedby={below}
        aria-invalid={Boolean(error)}
      />
      <p id={below} className={error ? css.error : css.hint}>
        {error && <Icon of={CircleAlert} size={14} />}
        {error ?? hint}
      </p>
    </div>
  )
}
