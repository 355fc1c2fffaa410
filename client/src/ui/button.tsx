import type { ComponentProps } from 'react'
import css from './button.module.css'
import { cx } from './cx'
import { type Glyph, Icon } from './icon'

interface Look {
  look?: 'primary' | 'plain' | 'quiet' | 'soft' | 'ghost' | 'danger' | 'danger-quiet'
  size?: 'sm' | 'md' | 'lg'
  icon?: Glyph | undefined
}

const ICON_SIZES = { sm: 16, md: 16, lg: 20 }

/** Returns the class names of a button, for links and labels that look like one. */
export function buttonClass({ look = 'plain', size = 'md' }: Look): string {
  return cx(css.button, css[look], css[size])
}

export function Button({
  look = 'plain',
  size = 'md',
  icon,
  children,
  ...rest
}: ComponentProps<'button'> & Look) {
  return (
    <button type="button" {...rest} className={cx(buttonClass({ look, size }), rest.className)}>
      {icon && <Icon of={icon} size={ICON_SIZES[size]} />}
      {children}
    </button>
  )
}

/** A link that looks like a button. Without an address it keeps its place and does nothing. */
export function ButtonLink({
  look = 'plain',
  size = 'md',
  icon,
  children,
  ...rest
}: ComponentProps<'a'> & Look) {
  return (
    <a {...rest} className={cx(buttonClass({ look, size }), rest.className)}>
      {icon && <Icon of={icon} size={ICON_SIZES[size]} />}
      {children}
    </a>
  )
}
