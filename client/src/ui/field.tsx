import CircleAlert from 'lucide-react/icons/circle-alert'
import { type ComponentProps, type ReactNode, useId } from 'react'
import { cx } from './cx'
import css from './field.module.css'
import { Icon } from './icon'

interface FieldProps extends ComponentProps<'input'> {
  label: string
  hint?: string
  error?: string | null
  mono?: boolean
  /** Shown at the end of the label's line. */
  side?: ReactNode
  /** A button inside of the input, at its end. */
  end?: ReactNode
}

export function Field({ label, hint, error, mono = false, side, end, ...input }: FieldProps) {
  const id = useId()
  const below = useId()
  return (
    <div className={css.field}>
      <div className={css.line}>
        <label htmlFor={id}>{label}</label>
        {side}
      </div>
      <div className={css.box}>
        <input
          {...input}
          id={id}
          className={cx(css.input, mono && css.mono, Boolean(end) && css.withEnd, error && css.bad)}
          aria-describedby={below}
          aria-invalid={Boolean(error)}
        />
        {end && <span className={css.end}>{end}</span>}
      </div>
      <p id={below} className={error ? css.error : css.hint}>
        {error && <Icon of={CircleAlert} size={14} />}
        {error ?? hint}
      </p>
    </div>
  )
}
