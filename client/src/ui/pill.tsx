import ChevronDown from 'lucide-react/icons/chevron-down'
import LoaderCircle from 'lucide-react/icons/loader-circle'
import type { ComponentProps } from 'react'
import { cx } from './cx'
import { type Glyph, Icon } from './icon'
import css from './pill.module.css'

interface PillProps extends ComponentProps<'button'> {
  tone: 'plain' | 'ok' | 'warn' | 'bad'
  /** Without an icon the pill shows a spinner. */
  icon?: Glyph | undefined
  small?: boolean
}

/** A button that shows a state by colour, icon and text, and opens more. */
export function Pill({ tone, icon, small = false, children, ...rest }: PillProps) {
  return (
    <button type="button" {...rest} className={cx(css.pill, css[tone], small && css.small)}>
      <span className={cx(css.icon, !icon && css.spin)}>
        <Icon of={icon ?? LoaderCircle} size={15} />
      </span>
      <span className={css.text}>{children}</span>
      {!small && <Icon of={ChevronDown} size={14} />}
    </button>
  )
}
